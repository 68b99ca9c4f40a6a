// nvtx3/nvtx3.hpp: NVTX's C++ classes, in C++11 as well.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %cucpu -std=c++11 -x c++ %s -o %t && %run %t
#include <nvtx3/nvtx3.hpp>
#include <string>
#include <utility>
#if !defined NVTX3_CPP_DEFINITIONS_V1_0 || NVTX3_CPP_VERSION_MAJOR != 1
#error "CUB names nvtx3::v1 only then"
#endif
struct mine {
    static constexpr const char *name = "mine";
};
struct text {
    static constexpr const char *message = "text";
};
struct kind {
    static constexpr const char *name = "kind";
    static constexpr uint32_t id = 4;
};
constexpr uint32_t kind::id;

static int whole() {
    NVTX3_FUNC_RANGE();
    return 1;
}
static int sometimes(bool yes) {
    NVTX3_FUNC_RANGE_IF_IN(mine, yes);
    return 1;
}

int main() {
    std::string name = "name";
    nvtx3::scoped_range a("range"), none;
    nvtx3::scoped_range_in<mine> b{name, nvtx3::rgb{1, 2, 3}, nvtx3::payload{3}, nvtx3::category{2}};
    nvtx3::unique_range c{nvtx3::registered_string_in<>::get<text>()}, d(std::move(c));
    auto r = nvtx3::start_range("a", nvtx3::color{0xff00ff00}), s = nvtx3::start_range_in<mine>(L"b");
    nvtx3::end_range(r), nvtx3::end_range_in<mine>(s);
    nvtx3::mark("m"), nvtx3::mark_in<mine>("m", nvtx3::named_category_in<mine>::get<kind>());
    nvtx3::event_attributes e{nvtx3::color{nvtx3::argb{1, 2, 3, 4}}, nvtx3::message{"t"}, nvtx3::color{9u}, nvtx3::payload{2.5}};
    nvtx3::scoped_range f{e};
    auto *v = e.get();
    bool right = v->color == 0x01020304 && v->colorType == NVTX_COLOR_ARGB && v->messageType == NVTX_MESSAGE_TYPE_ASCII &&
                 v->payload.dValue == 2.5 && v->payloadType == NVTX_PAYLOAD_TYPE_DOUBLE && v->category == 0;
    return !(right && whole() && sometimes(true));
}
