/* picture.h: pictures of results, written as PPM or as PNG with stored (not compressed) data. */
#ifndef PICTURE_H
#define PICTURE_H
#include "sample.h"
#include <cctype>

struct Colour {
    uint8_t r, g, b;
};

static inline uint8_t shade(float v) { return uint8_t(255 * std::min(std::max(v, 0.0f), 1.0f) + 0.5f); }
static inline Colour grey(float v) { return {shade(v), shade(v), shade(v)}; }
static inline Colour heat(float v) { /* black, purple, red, yellow, white */
    return {shade(2.5f * v - 0.1f), shade(2.2f * v - 1), shade(v < 0.5f ? 1.6f * v * (1 - v) : 4 * v - 3)};
}
static inline Colour signs(float v) { /* blue below 0, red above it */
    return v < 0 ? Colour{shade(1 + v), shade(1 + v), 255} : Colour{255, shade(1 - v), shade(1 - v)};
}
static inline Colour label(int i) { /* distinct colours */
    uint32_t h = uint32_t(i + 1) * 2654435761u;
    return {uint8_t(64 + (h >> 8) % 192), uint8_t(64 + (h >> 16) % 192), uint8_t(64 + (h >> 24) % 192)};
}

class Picture {
  public:
    Picture(int w, int h) : width(w), height(h), rows(size_t(h) * (3 * size_t(w) + 1)) {}

    void set(int x, int y, Colour c) {
        if (x < 0 || y < 0 || x >= width || y >= height) return;
        uint8_t *p = &rows[size_t(y) * (3 * size_t(width) + 1) + 1 + 3 * size_t(x)];
        p[0] = c.r, p[1] = c.g, p[2] = c.b;
    }

    void write(const Sample &sample) const {
        std::string path = sample.picture;
        std::FILE *f = std::fopen(path.c_str(), "wb");
        if (!f) sample_fail(sample.name, path + ": cannot be written");
        bool ppm = path.size() > 4 && path.compare(path.size() - 4, 4, ".ppm") == 0;
        if (ppm) write_ppm(f);
        else write_png(f);
        if (std::fclose(f)) sample_fail(sample.name, path + ": cannot be written");
        std::printf("%s: wrote %s\n", sample.name, path.c_str());
    }

  private:
    using Bytes = std::vector<uint8_t>;
    int width, height;
    Bytes rows; /* each with PNG's filter byte 0 before it */

    void write_ppm(std::FILE *f) const {
        std::fprintf(f, "P6\n%d %d\n255\n", width, height);
        for (int y = 0; y < height; y++)
            std::fwrite(&rows[size_t(y) * (3 * size_t(width) + 1) + 1], 3, size_t(width), f);
    }

    static void word(Bytes &to, uint32_t v) {
        for (int shift = 24; shift >= 0; shift -= 8) to.push_back(uint8_t(v >> shift));
    }

    static void chunk(std::FILE *f, const char *type, const Bytes &body) {
        Bytes all(type, type + 4), frame;
        all.insert(all.end(), body.begin(), body.end());
        uint32_t crc = ~0u;
        for (uint8_t byte : all) {
            crc ^= byte;
            for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
        word(frame, uint32_t(body.size()));
        frame.insert(frame.end(), all.begin(), all.end());
        word(frame, ~crc);
        std::fwrite(frame.data(), 1, frame.size(), f);
    }

    void write_png(std::FILE *f) const {
        Bytes header, data = {0x78, 0x01};
        word(header, uint32_t(width));
        word(header, uint32_t(height));
        header.insert(header.end(), {8, 2, 0, 0, 0}); /* 8 bits, RGB */
        uint32_t a = 1, b = 0;                        /* Adler's checksum */
        for (uint8_t byte : rows) b = (b + (a = (a + byte) % 65521)) % 65521;
        for (size_t at = 0; at < rows.size(); at += 65535) { /* deflate's stored blocks */
            size_t n = std::min<size_t>(65535, rows.size() - at);
            uint8_t low = uint8_t(n), high = uint8_t(n >> 8), last = at + n == rows.size();
            data.insert(data.end(), {last, low, high, uint8_t(~low), uint8_t(~high)});
            data.insert(data.end(), rows.begin() + long(at), rows.begin() + long(at + n));
        }
        word(data, b << 16 | a);
        std::fwrite("\x89PNG\r\n\x1a\n", 1, 8, f);
        chunk(f, "IHDR", header);
        chunk(f, "IDAT", data);
        chunk(f, "IEND", {});
    }
};

/* A grey image of 8 bits (PGM, P5), its values from 0 to 255. */
static inline std::vector<float> read_pgm(const Sample &sample, int &width, int &height) {
    Reader reader(sample);
    int c, most;
    if (std::fscanf(reader.file, "P%d", &c) != 1 || c != 5) reader.fail("this is no PGM file (P5)");
    auto number = [&] { /* comments may stand before it */
        while ((c = std::fgetc(reader.file)) == '#' || std::isspace(c))
            if (c == '#') while ((c = std::fgetc(reader.file)) != '\n' && c != EOF) continue;
        std::ungetc(c, reader.file);
        return reader.integer(1, 1 << 15);
    };
    width = number(), height = number(), most = number();
    if (most > 255) reader.fail("it has more than 8 bits");
    std::fgetc(reader.file);
    std::vector<unsigned char> bytes(size_t(width) * size_t(height));
    if (std::fread(bytes.data(), 1, bytes.size(), reader.file) != bytes.size()) reader.fail("it is too short");
    return std::vector<float>(bytes.begin(), bytes.end());
}

/* An image of grey values between low and high, through a colour map. */
static inline void write_field(const Sample &sample, const std::vector<float> &v, int w, int h, float low, float high,
                               Colour (*map)(float) = heat) {
    Picture p(w, h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) p.set(x, y, map((v[size_t(y) * size_t(w) + size_t(x)] - low) / (high - low)));
    p.write(sample);
}
#endif
