"""Compiles rules for their callers only; numba would generate machine code for each.

Rules are only called from other rules, so each is typed and lowered once and kept as LLVM
code, optimised function by function (otherwise loops aren't vectorised). Each entry point
links the rules that it needs and is optimised as a whole, once. By default numba would
optimise each rule again in each of its callers.
"""

import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from llvmlite.binding import parse_assembly
from numba import njit
from numba.core import cgutils, compiler, typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj

from catan_pz.kernels.fast.packed_calls import add_packed_code, is_shareable


class RuleLibrary(JITCodeLibrary):
    """The code of one rule, to be linked later."""

    def finalize(self) -> None:
        """Skip optimisation and machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """The code of an entry point with all the rules that it calls."""

    _linking_libraries: list[Any]
    _final_module: Any

    def finalize(self) -> None:
        """Link all rules called, directly or indirectly, and optimise the whole."""
        found = dict.fromkeys(self._linking_libraries)
        queue = list(found)
        while queue:
            for library in queue.pop()._linking_libraries:
                if library not in found:
                    found[library] = None
                    queue.append(library)
        self._linking_libraries = list(found)
        super().finalize()

    def serialize_using_object_code(self) -> Any:
        """Machine code with its symbol names; nothing links to an entry point's LLVM code."""
        self._ensure_finalized()
        made = [f.name for f in self._final_module.functions if not f.is_declaration]
        stubs = parse_assembly("".join(f'define void @"{n}"() {{ ret void }}\n' for n in made))
        return self.name, "object", (self._get_compiled_object(), stubs.as_bitcode())

    def _optimize_final_module(self) -> None:
        self._hide_rules()
        # Skip numba's first round, which looks for reference counts: rules have none.
        passes, builder = self._codegen._module_pass_manager(slp_vectorize=True)
        with self._recorded_timings.record("Module passes", builder):
            passes.run(self._final_module, builder)
        features = self._codegen._tm_features
        if "+sse4a" in features:
            # Each of these AMD-only instructions takes as long as hundreds of others.
            without = rf'\1 "target-features"="{features},-sse4a"\2 {{'
            heads = r"(?m)^(define .*?)( !dbg !\d+)? \{$"
            code = re.sub(heads, without, str(self._final_module))
            self._final_module = parse_assembly(code)

    def _hide_rules(self) -> None:
        # Private functions are inlined more readily and dropped afterwards. Short names for them
        # keep the text of their callers below LLVM's limit.
        for library in self._linking_libraries:
            if isinstance(library, RuleLibrary):
                for function in library._final_module.functions:
                    if not function.is_declaration:
                        hidden = self._final_module.get_function(function.name)
                        hidden.linkage, hidden.name = "internal", hidden.name[:99]


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """An index without wraparound: rules use no negative indices."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


@contextmanager
def _plain_indices() -> Iterator[None]:
    counted = arrayobj.fix_integer_index
    arrayobj.fix_integer_index = _index_as_it_is
    try:
        yield
    finally:
        arrayobj.fix_integer_index = counted


def _create_library(state: Any, kind: type) -> None:
    codegen = state.targetctx.codegen()
    state.library = kind(codegen, state.func_id.func_qualname)
    state.library.enable_object_caching()


class RuleLower(Lower):
    """Lowers a rule; numba copies a record byte by byte, which LLVM compiles slowly."""

    def pre_lower(self) -> None:
        """Prevent inlining of a rule that seldom runs."""
        super().pre_lower()
        if getattr(self.func_ir.func_id.func, "is_rare", False):
            self.function.attributes.add("noinline")
            self.function.attributes.add("cold")

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Copy a record into an array of records as a whole; otherwise as numba does."""
        array, index, value = (self.typeof(v.name) for v in (target_var, index_var, value_var))
        is_record = isinstance(value, types.Record) and isinstance(index, types.Integer)
        if not is_record or getattr(array, "dtype", None) != value:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        found = self.context.typing_context.resolve_function_type(
            operator.getitem, (array, index), {}
        )
        place = self.context.get_function(operator.getitem, found)(
            self.builder, (self.loadvar(target_var.name), self.loadvar(index_var.name))
        )
        record = self.loadvar(value_var.name)
        size = self.context.get_constant(types.intp, value.size)
        return cgutils.raw_memcpy(self.builder, place, record, size, 1)


_resolved: Final[dict[Any, Any]] = {}
"""Signatures of the functions and operators in rules, by function and argument types."""


@register_pass(mutates_CFG=True, analysis_only=False)
class RuleInference(typed_passes.NopythonTypeInference):
    """Type inference that caches resolved calls: nine of ten use the same few operators."""

    _name = "catan_pz_rule_inference"

    def run_pass(self, state: Any) -> bool:
        """Infer types."""
        context = state.typingctx
        resolve = context.resolve_function_type

        def resolve_once(function: Any, args: Any, kws: Any) -> Any:
            if kws or isinstance(function, str):  # keywords and constant indices aren't cached
                return resolve(function, args, kws)
            found = _resolved.get((function, args)) or resolve(function, args, kws)
            if found is not None:
                _resolved[function, args] = found
            return found

        context.resolve_function_type = resolve_once
        try:
            return bool(super().run_pass(state))
        finally:
            context.resolve_function_type = resolve


@register_pass(mutates_CFG=True, analysis_only=False)
class RuleLowering(NativeLowering):
    """Lowering into a `RuleLibrary`."""

    _name = "catan_pz_rule_lowering"
    lowering_class = RuleLower

    def run_pass(self, state: Any) -> bool:
        """Lower, and register the code for callers."""
        _create_library(state, RuleLibrary)
        state.flags.no_compile = True
        with _plain_indices():
            super().run_pass(state)
        result = state["cr"]
        key = object()
        state.targetctx.insert_user_function(key, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=key)
        return True


class EntryLower(RuleLower):
    """Lowers an entry point, with packed code for threads."""

    def lower(self) -> None:
        """Lower."""
        super().lower()
        if is_shareable(self.fndesc):
            add_packed_code(self.context, self.library, self.fndesc)


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(NativeLowering):
    """Lowering into an `EntryLibrary`."""

    _name = "catan_pz_entry_lowering"
    lowering_class = EntryLower

    def run_pass(self, state: Any) -> bool:
        """Lower and generate machine code."""
        _create_library(state, EntryLibrary)
        with _plain_indices():
            return bool(super().run_pass(state))


_NEEDLESS: Final = (
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.WithLifting,
)
"""Passes for features absent from rules: closures, raises, array expressions, `with`, literals."""


class RuleCompiler(compiler.CompilerBase):
    """Numba's nopython pipeline for rules, without needless passes and with custom ones."""

    lowering: type = RuleLowering

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes except for type inference and lowering."""
        self.state.flags.noalias = True
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        own = {NativeLowering: self.lowering, typed_passes.NopythonTypeInference: RuleInference}
        manager.passes = [
            (own.get(step, step), text) for step, text in manager.passes if step not in _NEEDLESS
        ]
        manager._finalized = False
        manager.finalize()
        return [manager]


class EntryCompiler(RuleCompiler):
    """The pipeline of `RuleCompiler` for entry points."""

    lowering = EntryLowering


# As on CUDA, division by zero isn't checked. There are no allocations, so no reference counts.
_OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def make_rule(function: Callable[..., Any]) -> Any:
    """A dispatcher that compiled functions can call, and Python can't."""
    dispatcher = njit(no_cpython_wrapper=True, pipeline_class=RuleCompiler, **_OPTIONS)(function)

    def add_overload(result: Any) -> None:
        dispatcher.overloads[tuple(result.signature.args)] = result

    dispatcher.add_overload = add_overload  # numba's own lets Python look up missing code
    return dispatcher


def make_entry(function: Callable[..., Any]) -> Any:
    """A dispatcher that Python calls, with packed code if threads can share it."""
    return njit(nogil=True, pipeline_class=EntryCompiler, **_OPTIONS)(function)
