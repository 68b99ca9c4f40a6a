/* refusals.cpp: tells the launcher what clang has refused where, by the numbers of its messages: neither texts, colours
** nor the format of locations matter.
**
** -fplugin-arg-cucpu-refused=FILE: a line for each message of the tables below and for each error, "kind TAB line TAB
** column TAB word TAB file"; launcher/nvcc/refused.c reads it.  Places are those that clang prints.  There is no file
** where clang refuses nothing. */
#include "launcher/plugin/plugin.h"
#include "clang/Basic/DiagnosticAST.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
using namespace clang;

namespace cucpu {
namespace {
/* A message is meant if its argument has this value: an integer, or a text that begins so. */
struct Condition {
    unsigned argument;
    int64_t value;
    const char *prefix;
};
constexpr unsigned ANY = ~0u;
constexpr int64_t OF_DEVICE = int64_t(CUDAFunctionTarget::Device), OF_KERNEL = int64_t(CUDAFunctionTarget::Global),
                  OF_HOST = int64_t(CUDAFunctionTarget::Host), OF_BOTH = int64_t(CUDAFunctionTarget::HostDevice);

const struct Kind {
    unsigned id;
    const char *name;
    Condition first = {ANY, 0, nullptr}, second = {ANY, 0, nullptr};
} kinds[] = {
    {diag::err_shared_var_init, "shared"},
    {diag::err_pragma_loop_precedes_nonloop, "unroll", {0, 0, "#pragma "}},
    {diag::err_pragma_loop_compatibility, "unroll", {1, 0, "#pragma "}},
    {diag::err_requires_positive_value, "unroll", {1, 0, nullptr}},
    {diag::err_pragma_misplaced_in_decl, "unroll"},
    {diag::err_expected_statement, "unroll"},
    {diag::err_expected_unqualified_id, "unroll", {0, 1, nullptr}},
    {diag::err_template_kw_missing, "template"},
    {diag::err_ovl_unresolvable, "template", {1, 0, nullptr}},
    {diag::err_asm_invalid_escape, "escape"},
    {diag::note_ovl_candidate_bad_target, "device-from-host", {3, OF_DEVICE, nullptr}, {4, OF_HOST, nullptr}},
    {diag::note_ovl_candidate_bad_target, "host-from-device", {3, OF_HOST, nullptr}, {4, OF_DEVICE, nullptr}},
    {diag::note_ovl_candidate_bad_target, "host-from-kernel", {3, OF_HOST, nullptr}, {4, OF_KERNEL, nullptr}},
    {diag::err_ref_bad_target, "host-named", {0, OF_HOST, nullptr}, {1, 0, nullptr}},
    {diag::err_ref_bad_target_global_initializer, "host-named", {0, OF_HOST, nullptr}},
    {diag::err_cuda_ovl_target, "device-overloads", {0, OF_DEVICE, nullptr}, {2, OF_BOTH, nullptr}},
    {diag::err_cuda_ovl_target, "host-overloads", {0, OF_HOST, nullptr}, {2, OF_BOTH, nullptr}},
    {diag::note_ovl_candidate_substitution_failure, "unsatisfied"},
    {diag::err_reference_to_function_with_unsatisfied_constraints, "unsatisfied"},
    {diag::err_template_arg_list_constraints_not_satisfied, "unsatisfied"},
    {diag::note_ovl_candidate_constraints_not_satisfied, "unsatisfied"},
    {diag::note_ovl_candidate_unsatisfied_constraints, "unsatisfied"},
    {diag::note_ovl_surrogate_constraints_not_satisfied, "unsatisfied"},
};

/* A type is not complete where it is used. */
const unsigned incomplete[] = {
    diag::err_asm_incomplete_type,
    diag::err_catch_incomplete,
    diag::err_catch_incomplete_ptr,
    diag::err_catch_incomplete_ref,
    diag::err_delete_incomplete,
    diag::err_dereference_incomplete_type,
    diag::err_for_range_incomplete_type,
    diag::err_incomplete_in_exception_spec,
    diag::err_incomplete_member_access,
    diag::err_incomplete_nested_name_spec,
    diag::err_incomplete_object_call,
    diag::err_incomplete_type,
    diag::err_incomplete_type_used_in_type_trait_expr,
    diag::err_incomplete_typeid,
    diag::err_init_incomplete_type,
    diag::err_invalid_incomplete_type_use,
    diag::err_offsetof_incomplete_type,
    diag::err_second_parameter_to_va_arg_incomplete,
    diag::err_sizeof_alignof_incomplete_or_sizeless_type,
    diag::err_temp_copy_incomplete,
    diag::err_template_nontype_parm_incomplete,
    diag::err_throw_incomplete,
    diag::err_throw_incomplete_ptr,
    diag::err_typecheck_cast_to_incomplete,
    diag::err_typecheck_decl_incomplete_type,
    diag::err_typecheck_incomplete_type_not_modifiable_lvalue,
    diag::err_typecheck_nonviable_condition_incomplete,
    diag::note_constexpr_ltor_incomplete_type,
    diag::note_non_literal_incomplete,
    diag::note_ovl_candidate_bad_conv_incomplete,
};

bool holds(const Diagnostic &d, const Condition &c) {
    if (c.argument == ANY) return true;
    if (c.argument >= d.getNumArgs()) return false;
    switch (d.getArgKind(c.argument)) {
    case DiagnosticsEngine::ak_std_string:
        return c.prefix && StringRef(d.getArgStdStr(c.argument)).starts_with(c.prefix);
    case DiagnosticsEngine::ak_c_string: return c.prefix && StringRef(d.getArgCStr(c.argument)).starts_with(c.prefix);
    case DiagnosticsEngine::ak_sint: return !c.prefix && d.getArgSInt(c.argument) == c.value;
    case DiagnosticsEngine::ak_uint: return !c.prefix && int64_t(d.getArgUInt(c.argument)) == c.value;
    default: return false;
    }
}
} // namespace

Refusals::Refusals(StringRef f) : file(f) {
    if (!file.empty()) llvm::sys::fs::remove(file);
}

void Refusals::add(StringRef kind, SourceLocation at, StringRef word) {
    if (file.empty() || !sources || at.isInvalid()) return;
    PresumedLoc place = sources->getPresumedLoc(at);
    if (place.isInvalid()) return;
    records +=
        llvm::formatv("{0}\t{1}\t{2}\t{3}\t{4}\n", kind, place.getLine(), place.getColumn(), word, place.getFilename());
}

/* A file that clang takes as it is has no records: what notes of warnings are about matters to nobody. */
void Refusals::write() {
    std::error_code error;
    if (!refused || records.empty()) return;
    llvm::raw_fd_ostream out(file, error, llvm::sys::fs::OF_None);
    if (!error) out << records;
}

/* In the macros that it came from as well. */
void Refusals::add_in_macros(StringRef kind, SourceLocation at) {
    for (; at.isMacroID(); at = sources->getImmediateMacroCallerLoc(at)) {
        bool argument = sources->isMacroArgExpansion(at);
        add(kind, sources->getSpellingLoc(argument ? sources->getImmediateExpansionRange(at).getBegin() : at));
    }
}

void Refusals::look(DiagnosticsEngine::Level level, const Diagnostic &d) {
    refused |= level >= DiagnosticsEngine::Error;
    if (!d.hasSourceManager()) return;
    sources = &d.getSourceManager();
    if (level == DiagnosticsEngine::Error) add("error", d.getLocation());
    for (const Kind &k : kinds)
        if (k.id == d.getID() && holds(d, k.first) && holds(d, k.second)) {
            add(k.name, d.getLocation());
            if (k.id == diag::err_asm_invalid_escape) add_in_macros(k.name, d.getLocation());
        }
    if (llvm::is_contained(incomplete, d.getID())) add("incomplete", d.getLocation());
}

} // namespace cucpu
