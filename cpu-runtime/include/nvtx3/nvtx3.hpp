/* nvtx3.hpp: the C++ classes of NVTX over nvToolsExt.h, whose functions do nothing. */
#ifndef CUCPU_NVTX3_HPP
#define CUCPU_NVTX3_HPP
#include "nvToolsExt.h"
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0
#define NVTX3_CPP_DEFINITIONS_V1_0 /* asked for by headers that name nvtx3::v1 */

namespace nvtx3 {
inline namespace v1 {
class domain {
    nvtxDomainHandle_t handle_ = nullptr;
    domain() = default;
    explicit domain(const char *name_) : handle_(nvtxDomainCreateA(name_)) {}
    explicit domain(const wchar_t *name_) : handle_(nvtxDomainCreateW(name_)) {}
    template <class D_> static auto named_(int) -> decltype(domain(D_::name)) { return domain(D_::name); }
    template <class D_> static domain named_(long) { return domain(); }

  public:
    struct global {};
    domain(const domain &) = delete;
    domain &operator=(const domain &) = delete;
    domain(domain &&o_) noexcept : handle_(o_.handle_) { o_.handle_ = nullptr; }
    /* The one of the structure D_, whose member `name` is its name. */
    template <class D_ = global> static const domain &get() {
        static const domain d_ = named_<D_>(0);
        return d_;
    }
    operator nvtxDomainHandle_t() const noexcept { return handle_; }
};

struct rgb {
    using component_type = uint8_t;
    component_type red, green, blue;
    constexpr rgb(component_type r_, component_type g_, component_type b_) noexcept : red(r_), green(g_), blue(b_) {}
};
struct argb : rgb {
    component_type alpha;
    constexpr argb(component_type a_, component_type r_, component_type g_, component_type b_) noexcept : rgb(r_, g_, b_), alpha(a_) {}
};
class color {
    uint32_t value_;

  public:
    using value_type = uint32_t;
    constexpr explicit color(value_type v_) noexcept : value_(v_) {}
    constexpr color(argb c_) noexcept
        : value_(uint32_t(c_.alpha) << 24 | uint32_t(c_.red) << 16 | uint32_t(c_.green) << 8 | c_.blue) {}
    constexpr color(rgb c_) noexcept : color(argb(0xff, c_.red, c_.green, c_.blue)) {}
    constexpr value_type get_value() const noexcept { return value_; }
    constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }
};

class category {
    uint32_t id_;

  public:
    using id_type = uint32_t;
    constexpr explicit category(id_type id) noexcept : id_(id) {}
    constexpr id_type get_id() const noexcept { return id_; }
};
template <class D_ = domain::global> class named_category_in final : public category {
  public:
    named_category_in(id_type id, const char *name_) noexcept : category(id) { nvtxDomainNameCategoryA(domain::get<D_>(), id, name_); }
    named_category_in(id_type id, const wchar_t *name_) noexcept : category(id) { nvtxDomainNameCategoryW(domain::get<D_>(), id, name_); }
    /* The one of the structure C_, with members `name` and `id`. */
    template <class C_> static const named_category_in &get() {
        static const named_category_in c_(C_::id, C_::name);
        return c_;
    }
};
using named_category = named_category_in<domain::global>;

template <class D_ = domain::global> class registered_string_in {
    nvtxStringHandle_t handle_;

  public:
    explicit registered_string_in(const char *s_) noexcept : handle_(nvtxDomainRegisterStringA(domain::get<D_>(), s_)) {}
    explicit registered_string_in(const wchar_t *s_) noexcept : handle_(nvtxDomainRegisterStringW(domain::get<D_>(), s_)) {}
    explicit registered_string_in(const std::string &s_) noexcept : registered_string_in(s_.c_str()) {}
    explicit registered_string_in(const std::wstring &s_) noexcept : registered_string_in(s_.c_str()) {}
    /* The one of the structure M_, whose member `message` is its text. */
    template <class M_> static const registered_string_in &get() {
        static const registered_string_in s_(M_::message);
        return s_;
    }
    nvtxStringHandle_t get_handle() const noexcept { return handle_; }
};
using registered_string = registered_string_in<domain::global>;

class message {
    nvtxMessageType_t type_ = NVTX_MESSAGE_UNKNOWN;
    nvtxMessageValue_t value_ = {};

  public:
    using value_type = nvtxMessageValue_t;
    message(const char *s_) noexcept : type_(NVTX_MESSAGE_TYPE_ASCII) { value_.ascii = s_; }
    message(const std::string &s_) noexcept : message(s_.c_str()) {}
    message(std::string &&) = delete; /* it would be gone before the event */
    message(const wchar_t *s_) noexcept : type_(NVTX_MESSAGE_TYPE_UNICODE) { value_.unicode = s_; }
    message(const std::wstring &s_) noexcept : message(s_.c_str()) {}
    message(std::wstring &&) = delete;
    template <class D_> message(const registered_string_in<D_> &s_) noexcept : type_(NVTX_MESSAGE_TYPE_REGISTERED) {
        value_.registered = s_.get_handle();
    }
    nvtxMessageType_t get_type() const noexcept { return type_; }
    value_type get_value() const noexcept { return value_; }
};

class payload {
    nvtxPayloadType_t type_;
    nvtxEventAttributes_v2::payload_t value_;

  public:
    using value_type = nvtxEventAttributes_v2::payload_t;
    explicit payload(int64_t v_) noexcept : type_(NVTX_PAYLOAD_TYPE_INT64), value_() { value_.llValue = v_; }
    explicit payload(int32_t v_) noexcept : type_(NVTX_PAYLOAD_TYPE_INT32), value_() { value_.iValue = v_; }
    explicit payload(uint64_t v_) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64), value_() { value_.ullValue = v_; }
    explicit payload(uint32_t v_) noexcept : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32), value_() { value_.uiValue = v_; }
    explicit payload(float v_) noexcept : type_(NVTX_PAYLOAD_TYPE_FLOAT), value_() { value_.fValue = v_; }
    explicit payload(double v_) noexcept : type_(NVTX_PAYLOAD_TYPE_DOUBLE), value_() { value_.dValue = v_; }
    nvtxPayloadType_t get_type() const noexcept { return type_; }
    value_type get_value() const noexcept { return value_; }
};

/* Of a color, a category, a payload and a message, in any order; of two of a kind the first counts. */
class event_attributes {
    nvtxEventAttributes_t attributes_ = {};

  public:
    using value_type = nvtxEventAttributes_t;
    event_attributes() noexcept {
        attributes_.version = NVTX_VERSION;
        attributes_.size = sizeof attributes_;
    }
    template <class... A_> explicit event_attributes(const category &c_, const A_ &...a_) noexcept : event_attributes(a_...) {
        attributes_.category = c_.get_id();
    }
    template <class... A_> explicit event_attributes(const color &c_, const A_ &...a_) noexcept : event_attributes(a_...) {
        attributes_.color = c_.get_value();
        attributes_.colorType = c_.get_type();
    }
    template <class... A_> explicit event_attributes(const payload &p_, const A_ &...a_) noexcept : event_attributes(a_...) {
        attributes_.payload = p_.get_value();
        attributes_.payloadType = p_.get_type();
    }
    template <class... A_> explicit event_attributes(const message &m_, const A_ &...a_) noexcept : event_attributes(a_...) {
        attributes_.message = m_.get_value();
        attributes_.messageType = m_.get_type();
    }
    const value_type *get() const noexcept { return &attributes_; }
};

/* A range of this thread, as long as the object lives. */
template <class D_ = domain::global> class scoped_range_in {
  public:
    explicit scoped_range_in(const event_attributes &a_) noexcept { nvtxDomainRangePushEx(domain::get<D_>(), a_.get()); }
    template <class First_, class... A_,
              class = typename std::enable_if<!std::is_same<event_attributes, typename std::decay<First_>::type>::value>::type>
    explicit scoped_range_in(const First_ &first_, const A_ &...a_) noexcept : scoped_range_in(event_attributes(first_, a_...)) {}
    scoped_range_in() noexcept : scoped_range_in(event_attributes()) {}
    void *operator new(std::size_t) = delete;
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    ~scoped_range_in() noexcept { nvtxDomainRangePop(domain::get<D_>()); }
};
using scoped_range = scoped_range_in<domain::global>;

/* Ranges that may end elsewhere. */
struct range_handle {
    using value_type = nvtxRangeId_t;
    constexpr explicit range_handle(value_type id) noexcept : id_(id) {}
    constexpr range_handle() noexcept : id_(0) {}
    constexpr range_handle(std::nullptr_t) noexcept : id_(0) {}
    constexpr explicit operator bool() const noexcept { return id_ != 0; }
    constexpr value_type get_value() const noexcept { return id_; }
    friend constexpr bool operator==(range_handle a_, range_handle b_) noexcept { return a_.id_ == b_.id_; }
    friend constexpr bool operator!=(range_handle a_, range_handle b_) noexcept { return a_.id_ != b_.id_; }

  private:
    value_type id_;
};
template <class D_ = domain::global> range_handle start_range_in(const event_attributes &a_) noexcept {
    return range_handle(nvtxDomainRangeStartEx(domain::get<D_>(), a_.get()));
}
template <class D_ = domain::global, class First_, class... A_,
          class = typename std::enable_if<!std::is_same<event_attributes, typename std::decay<First_>::type>::value>::type>
range_handle start_range_in(const First_ &first_, const A_ &...a_) noexcept {
    return start_range_in<D_>(event_attributes(first_, a_...));
}
template <class... A_> range_handle start_range(const A_ &...a_) noexcept { return start_range_in<domain::global>(a_...); }
template <class D_ = domain::global> void end_range_in(range_handle r_) noexcept { nvtxDomainRangeEnd(domain::get<D_>(), r_.get_value()); }
inline void end_range(range_handle r_) noexcept { end_range_in<domain::global>(r_); }

template <class D_ = domain::global> class unique_range_in {
    range_handle handle_;
    bool open_ = true;

  public:
    unique_range_in() noexcept : handle_(start_range_in<D_>(event_attributes())) {}
    template <class First_, class... A_,
              class = typename std::enable_if<!std::is_same<unique_range_in, typename std::decay<First_>::type>::value>::type>
    explicit unique_range_in(const First_ &first_, const A_ &...a_) noexcept : handle_(start_range_in<D_>(first_, a_...)) {}
    unique_range_in(unique_range_in &&o_) noexcept : handle_(o_.handle_), open_(o_.open_) { o_.open_ = false; }
    unique_range_in &operator=(unique_range_in &&o_) noexcept {
        std::swap(handle_, o_.handle_);
        std::swap(open_, o_.open_);
        return *this;
    }
    ~unique_range_in() noexcept {
        if (open_) end_range_in<D_>(handle_);
    }
};
using unique_range = unique_range_in<domain::global>;

template <class D_ = domain::global> void mark_in(const event_attributes &a_) noexcept { nvtxDomainMarkEx(domain::get<D_>(), a_.get()); }
template <class D_ = domain::global, class First_, class... A_,
          class = typename std::enable_if<!std::is_same<event_attributes, typename std::decay<First_>::type>::value>::type>
void mark_in(const First_ &first_, const A_ &...a_) noexcept {
    mark_in<D_>(event_attributes(first_, a_...));
}
template <class... A_> void mark(const A_ &...a_) noexcept { mark_in<domain::global>(a_...); }

/* The names of before version 1. */
template <class D_> using domain_thread_range = scoped_range_in<D_>;
using thread_range = scoped_range;
template <class D_> using domain_process_range = unique_range_in<D_>;
using process_range = unique_range;
} // namespace v1
} // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE_IN(D)                                                                                             \
    static const ::nvtx3::v1::registered_string_in<D> nvtx3_func_name__{__func__};                                            \
    static const ::nvtx3::v1::event_attributes nvtx3_func_attr__{nvtx3_func_name__};                                          \
    const ::nvtx3::v1::scoped_range_in<D> nvtx3_range__{nvtx3_func_attr__}
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, condition)                                                                               \
    const std::unique_ptr<::nvtx3::v1::unique_range_in<D>> nvtx3_range__(                                                     \
        (condition) ? new ::nvtx3::v1::unique_range_in<D>(__func__) : nullptr)
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(condition) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, condition)
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF
#endif
