// mummergpu: finds where reads of DNA match a reference: for each position of a read the longest match, by a suffix
// tree (Ukkonen's) with suffix links; one thread matches one read.
#include "../common/sample.h"

constexpr int LETTERS = 4, THREADS = 64;

struct Node { // the edge to the node is text[start] .. text[start + length - 1]
    int child[LETTERS], start, length, link, parent;
};

struct Tree {
    std::vector<unsigned char> text; // 0..3
    std::vector<Node> nodes;
};

/* Ukkonen's construction; leaves have the rest of the text.  The text has no end mark: suffixes that are prefixes of
** others end within edges, which is all that matching needs. */
static Tree build(const std::vector<unsigned char> &text) {
    Tree t = {text, {}};
    const int n = int(text.size());
    auto add = [&](int start, int length, int parent) {
        t.nodes.push_back({{0, 0, 0, 0}, start, length, 0, parent});
        return int(t.nodes.size()) - 1;
    };
    add(0, 0, 0);
    int active = 0, edge = 0, length = 0, remaining = 0;
    for (int i = 0; i < n; i++) {
        int need_link = 0;
        auto link = [&](int node) {
            if (need_link) t.nodes[need_link].link = node;
            need_link = node;
        };
        for (remaining++; remaining > 0;) {
            if (!length) edge = i;
            int next = t.nodes[active].child[text[edge]];
            if (!next) {
                int leaf = add(i, n - i, active);
                t.nodes[active].child[text[edge]] = leaf;
                link(active);
            } else {
                int span = std::min(t.nodes[next].length, i - t.nodes[next].start);
                if (length >= span) { // walk down
                    edge += span, length -= span, active = next;
                    continue;
                }
                if (text[t.nodes[next].start + length] == text[i]) {
                    length++;
                    link(active);
                    break;
                }
                int middle = add(t.nodes[next].start, length, active);
                t.nodes[active].child[text[edge]] = middle;
                t.nodes[middle].child[text[t.nodes[next].start + length]] = next;
                t.nodes[next].start += length, t.nodes[next].length -= length, t.nodes[next].parent = middle;
                int leaf = add(i, n - i, middle);
                t.nodes[middle].child[text[i]] = leaf;
                link(middle);
            }
            remaining--;
            if (!active && length) length--, edge = i - remaining + 1;
            else active = t.nodes[active].link;
        }
    }
    return t;
}

/* Matches a read: lengths[p] is the length of the longest match from position p on, places[p] where it is in the text.
** After a match the suffix link leads to the match of the next position, less its first letter. */
__host__ __device__ inline void match(const Node *nodes, const unsigned char *text, const unsigned char *read, int size,
                                      int *lengths, int *places) {
    int node = 0, matched = 0, depth = 0, below = 0; // below: letters on the edge to the child that comes next
    for (int p = 0; p < size; p++) {
        for (;;) { // skip or extend
            if (p + matched == size && depth + below == matched) break;
            int child = nodes[node].child[read[p + depth]];
            if (!child) break;
            int length = nodes[child].length;
            if (depth + length <= matched) { // known to match: no comparison
                node = child, depth += length, below = 0;
                continue;
            }
            below = matched - depth;
            const unsigned char *edge = text + nodes[child].start;
            while (below < length && p + matched < size && edge[below] == read[p + matched]) below++, matched++;
            if (below < length) break;
            node = child, depth += length, below = 0;
        }
        lengths[p] = matched;
        int end = below ? nodes[nodes[node].child[read[p + depth]]].start + below
                        : nodes[node].start + nodes[node].length;
        places[p] = matched ? end - matched : -1;
        if (!matched) continue;
        matched--, below = 0;
        if (node) node = nodes[node].link, depth = depth > 0 ? depth - 1 : 0;
        if (!node) depth = 0;
    }
}

__global__ void match_reads(const Node *nodes, const unsigned char *text, const unsigned char *reads, const int *first,
                            int count, int *lengths, int *places) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        match(nodes, text, reads + first[i], first[i + 1] - first[i], lengths + first[i], places + first[i]);
}

static void match_openmp(const Tree &t, const std::vector<unsigned char> &reads, const std::vector<int> &first,
                         int *lengths, int *places) {
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < first.size() - 1; i++)
        match(t.nodes.data(), t.text.data(), &reads[first[i]], first[i + 1] - first[i], lengths + first[i],
              places + first[i]);
}

/* FASTA: sequences after lines that begin with '>'; letters other than ACGT become A. */
static std::vector<unsigned char> read_fasta(const Sample &sample) {
    Reader reader(sample);
    std::vector<unsigned char> text;
    std::string line;
    while (reader.line(line))
        for (char c : line[0] == '>' ? "" : line) {
            const char *at = std::strchr("ACGTacgt", c);
            if (std::isalpha(c)) text.push_back(at && c ? (unsigned char)((at - "ACGTacgt") % 4) : 0);
        }
    if (text.size() < 200) reader.fail("it has less than 200 letters");
    return text;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "mummergpu", "matches of reads in a genome, by a suffix tree", INPUT, "a genome (FASTA)");
    int n = sample.pick(3000, 200000, 2000000), count = sample.pick(150, 20000, 200000), size = 100;
    Random random;
    std::vector<unsigned char> text(n), reads;
    for (unsigned char &c : text) c = (unsigned char)random.below(4);
    if (sample.input) text = read_fasta(sample), n = int(text.size());
    std::vector<int> first{0};
    for (int i = 0; i < count; i++) { // pieces of the reference with errors
        int from = random.below(n - size), length = size - random.below(30);
        for (int k = 0; k < length; k++)
            reads.push_back(random.next() < 0.02f ? (unsigned char)random.below(4) : text[from + k]);
        first.push_back(int(reads.size()));
    }
    Tree t = build(text);
    std::vector<int> lengths(reads.size()), places(reads.size());
    DeviceArray<Node> nodes(t.nodes);
    DeviceArray<unsigned char> dtext(text), dreads(reads);
    DeviceArray<int> dfirst(first), dlengths(reads.size()), dplaces(reads.size());
    Version cuda = {[&] { dlengths.zero(); },
                    [&] {
                        match_reads<<<divide_up(count, THREADS), THREADS>>>(nodes, dtext, dreads, dfirst, count, dlengths,
                                                                            dplaces);
                    }};
    sample.run(cuda, {[] {}, [&] { match_openmp(t, reads, first, lengths.data(), places.data()); }});
    auto got = dlengths.get(), at = dplaces.get();
    sample.compare("lengths", got, lengths);
    sample.compare("places", at, places);
    for (size_t p = 0; p < got.size() && !sample.failed; p++) // what is found is there
        if (got[p] && !std::equal(reads.begin() + long(p), reads.begin() + long(p) + got[p], text.begin() + at[p])) {
            std::printf("mummergpu: the match at %zu is wrong\n", p);
            sample.failed = true;
        }
    return sample.done();
}
