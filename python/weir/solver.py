"""A x = b by Weir's solvers in this process, through libweir.so (solvers/c/weir.h).

    solver = weir.Solver(A, 'method = "cg"\\npreconditioner = { type = "block_ilu0" }')   # A: a scipy.sparse matrix
    x, result = solver.solve(b)
    solver.update(A)                                                                      # new values, same pattern
    scipy.sparse.linalg.gmres(A, b, M=solver.preconditioner())
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import typing

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

_FACTS_GIVEN, _SYMMETRIC, _CONSTANT_NULL_SPACE, _ON_DEVICE, _BORROW = 1, 2, 4, 32, 64
_REASONS = ("converged", "max_iterations", "breakdown", "stagnated", "diverged", "cancelled")


class SolverError(RuntimeError):
    """An error of the library, with its code (WEIR_BAD_INPUT = 2, ... of weir.h)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Csr(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("rows", ctypes.c_int64), ("block", ctypes.c_int32),
                ("row_start_bits", ctypes.c_int32), ("row_start", ctypes.c_void_p), ("column", ctypes.c_void_p), ("value", ctypes.c_void_p)]


class _Result(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint32), ("reason", ctypes.c_int32), ("iterations", ctypes.c_int32), ("reserved", ctypes.c_int32),
                ("residual0", ctypes.c_double), ("residual", ctypes.c_double), ("target", ctypes.c_double),
                ("setup_seconds", ctypes.c_double), ("solve_seconds", ctypes.c_double), ("memory", ctypes.c_int64)]


class SolveResult(typing.NamedTuple):
    """The result of a solve; `residual` is |b - A x| computed from the returned x."""

    reason: str
    iterations: int
    residual0: float
    residual: float
    target: float
    setup_seconds: float
    solve_seconds: float
    memory: int

    @property
    def converged(self) -> bool:
        return self.reason == "converged"


def _find_library() -> str:
    """WEIR_LIBRARY, the copy in this package, one next to the program or in a build tree, or the one that the
    loader finds."""
    given = os.environ.get("WEIR_LIBRARY")
    if given:
        return given
    here = pathlib.Path(__file__).resolve()
    places = [here.parent / "lib", here.parents[4] / "lib" if len(here.parents) > 4 else here.parent]  # a wheel; PREFIX/share/weir/python/weir
    places += [here.parents[2] / build / "lib" for build in ("build", "build-run")]
    for place in places:
        if (place / "libweir.so.1").exists():
            return str(place / "libweir.so.1")
    return "libweir.so.1"


_loaded: typing.Any = None


def _library() -> typing.Any:
    global _loaded
    if _loaded is None:
        try:
            lib = ctypes.CDLL(_find_library())  # its calls release the GIL
        except OSError as error:
            raise SolverError(2, f"libweir.so.1 cannot be loaded ({error}): build Weir with -DWEIR_SHARED=ON, or set WEIR_LIBRARY") from None
        lib.weir_version.restype = lib.weir_error.restype = lib.weir_describe.restype = ctypes.c_char_p
        lib.weir_error.argtypes = lib.weir_describe.argtypes = lib.weir_destroy.argtypes = [ctypes.c_void_p]
        _loaded = lib
    return _loaded


def library_version() -> str:
    version: bytes = _library().weir_version()
    return version.decode()


def _on_host(values: typing.Any, name: str) -> typing.Any:
    """A contiguous numpy array of doubles: without a copy if `values` is such an array or provides it by DLPack."""
    if getattr(values, "__cuda_array_interface__", None) is not None:
        raise SolverError(2, f"{name} is in the memory of the GPU, the matrix is not")
    if not isinstance(values, np.ndarray) and hasattr(values, "__dlpack_device__"):
        kind = int(values.__dlpack_device__()[0])
        if kind not in (1, 3):  # kDLCPU, kDLCUDAHost
            raise SolverError(2, f"{name} is in the memory of a device (DLPack type {kind}), the matrix is not")
        try:
            values = np.from_dlpack(values)
        except (BufferError, RuntimeError) as error:
            raise SolverError(2, f"{name}: DLPack gives no array of the host: {error}") from None
    values = np.asarray(values)
    if values.dtype.kind not in "fiub":
        raise SolverError(2, f"{name} has values of type {values.dtype}; expected real numbers")
    return np.ascontiguousarray(values, dtype=np.float64)


class _DeviceRows:
    """(data, indices, indptr) of the device, by __cuda_array_interface__, as the attributes of a CSR matrix."""

    format, has_canonical_format = "csr", True

    def __init__(self, data: typing.Any, indices: typing.Any, indptr: typing.Any) -> None:
        for name, array, kinds in (("data", data, ("<f8",)), ("indices", indices, ("<i4",)), ("indptr", indptr, ("<i4", "<i8"))):
            cuda = getattr(array, "__cuda_array_interface__", None)
            if cuda is None:
                raise SolverError(2, f"{name} is in the memory of the host, the other arrays of A are not")
            width = int(cuda["typestr"][2:])
            if cuda["typestr"] not in kinds or len(cuda["shape"]) != 1 or cuda.get("strides") not in (None, (width,)):
                raise SolverError(2, f"{name} has shape {tuple(cuda['shape'])} and type {cuda['typestr']}; expected a contiguous vector of {kinds}")
        rows = indptr.__cuda_array_interface__["shape"][0] - 1
        self.data, self.indices, self.indptr, self.shape, self.dtype = data, indices, indptr, (rows, rows), np.dtype(np.float64)
        self.bits = 8 * int(indptr.__cuda_array_interface__["typestr"][2:])


def _matrix_of(A: typing.Any) -> typing.Any:
    """(data, indices, indptr): scipy's CSR matrix on arrays of the host, without a copy, or rows of the device."""
    if not isinstance(A, tuple):
        return A
    if len(A) != 3:
        raise SolverError(2, f"A is a tuple of {len(A)}; expected (data, indices, indptr)")
    if any(getattr(array, "__cuda_array_interface__", None) is not None for array in A):
        return _DeviceRows(*A)
    data = _on_host(A[0], "data")
    indices, indptr = (np.from_dlpack(v) if not isinstance(v, np.ndarray) and hasattr(v, "__dlpack__") else np.asarray(v) for v in A[1:])
    if indptr.ndim != 1 or len(indptr) < 2:
        raise SolverError(2, f"indptr has shape {indptr.shape}; expected (rows + 1,)")
    try:
        return scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, len(indptr) - 1), copy=False)
    except (ValueError, TypeError) as error:
        raise SolverError(2, f"(data, indices, indptr) is no CSR matrix: {error}") from None


def _check_rows(A: typing.Any) -> None:
    """Checks the properties of CSR and BSR that scipy's own functions do not check."""
    start, count = A.indptr, len(A.indices)
    if len(start) < 2 or start[0] != 0 or start[-1] > count or len(A.data) < start[-1] or bool((start[1:] < start[:-1]).any()):
        raise SolverError(2, f"indptr does not ascend from 0 to at most {count}, the number of indices, or there are fewer values")
    columns = A.shape[1] // (A.blocksize[1] if A.format == "bsr" else 1)
    if count and (A.indices.min() < 0 or A.indices.max() >= columns):
        raise SolverError(2, f"an index is not between 0 and {columns - 1}")


class _Vector:
    """The address of a vector of doubles in the solver's space: a numpy array or an object with __cuda_array_interface__ (CuPy, PyTorch)."""

    def __init__(self, values: typing.Any, size: int, on_device: bool, name: str) -> None:
        cuda = getattr(values, "__cuda_array_interface__", None)
        if (cuda is not None) != on_device:
            raise SolverError(2, f"{name} is in the memory of the {'GPU' if cuda is not None else 'host'}, the matrix is not")
        if cuda is not None:
            shape, self.address, kind, strides = cuda["shape"], cuda["data"][0], cuda["typestr"], cuda.get("strides")
            if strides is not None and tuple(strides) != (8,):
                raise SolverError(2, f"{name} is not contiguous")
        else:
            shape, self.address, kind = values.shape, values.ctypes.data, values.dtype.str
            if not values.flags.c_contiguous:
                raise SolverError(2, f"{name} is not contiguous")
        if tuple(shape) != (size,) or kind != "<f8":
            raise SolverError(2, f"{name} has shape {tuple(shape)} and type {kind}; expected ({size},) and <f8")


def _device_address(array: typing.Any) -> int:
    address: int = array.__cuda_array_interface__["data"][0]
    return address


def _result_of(raw: _Result) -> SolveResult:
    return SolveResult(_REASONS[raw.reason], raw.iterations, raw.residual0, raw.residual, raw.target, raw.setup_seconds,
                       raw.solve_seconds, raw.memory)


class Solver:
    """A solver for one matrix.

    A         scipy.sparse matrix (CSR and BSR are read without conversion), the CSR arrays (data, indices, indptr) as a tuple of numpy
              arrays or of objects with DLPack; in a library built for CUDA also cupyx.scipy.sparse CSR, or such a tuple of arrays with
              __cuda_array_interface__
    options   keys of [linear.SYSTEM] as TOML text
    symmetric, constant_null_space   facts about A; None: determined from the values
    threads   0: the default of OpenMP
    copy      False: the library uses the arrays of A instead of a copy. Only update() may change them; it writes the new values into
              them. Arrays of other types than float64, int32 (indices) and int64 (indptr) are copied for the conversion
    comm      an mpi4py communicator or its integer of Fortran: A is this rank's rows with columns of the whole matrix, b and x this
              rank's parts, and all calls are collective. The rows are numbered by rank.
    """

    def __init__(self, A: typing.Any, options: str = "", *, symmetric: bool | None = None, constant_null_space: bool | None = None,
                 threads: int = 0, copy: bool = True, comm: typing.Any = None) -> None:
        self._lib = _library()
        self._handle = ctypes.c_void_p()
        self._facts, self._copy, self._is_alone = (symmetric, constant_null_space), copy, comm is None
        self._check(self._lib.weir_create(options.encode(), ctypes.byref(self._handle)), None)
        if threads:
            self._check(self._lib.weir_set_threads(self._handle, ctypes.c_int(threads)))
        if comm is not None:
            self._check(self._lib.weir_set_communicator_f(self._handle, ctypes.c_int(comm if isinstance(comm, int) else comm.py2f())))
        self._setup(A)

    def _check(self, code: int, handle: typing.Any = ...) -> None:
        if code:
            raise SolverError(code, self._lib.weir_error(self._handle if handle is ... else handle).decode())

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise SolverError(2, "this solver has been closed")
        return self._handle

    def _canonical(self, A: typing.Any) -> tuple[typing.Any, bool]:
        A = _matrix_of(A)
        if isinstance(A, _DeviceRows):
            return A, True
        on_device = hasattr(getattr(A, "data", None), "__cuda_array_interface__")
        if not on_device and not scipy.sparse.issparse(A):
            raise SolverError(2, f"A is of type {type(A).__name__}; expected a scipy.sparse matrix")
        if A.shape[0] != A.shape[1] and self._is_alone:
            raise SolverError(2, f"A has shape {A.shape}; expected a square matrix")
        if A.format not in ("csr", "bsr"):
            A = A.tocsr()
        if np.dtype(A.dtype) != np.float64:
            if np.dtype(A.dtype).kind not in "fiub":
                raise SolverError(2, f"A has values of type {A.dtype}; expected real numbers")
            A = A.astype(np.float64)
        if not on_device:
            _check_rows(A)
        if not A.has_canonical_format:
            A = A.copy()
            A.sum_duplicates()
        if A.format == "bsr" and A.blocksize[0] != A.blocksize[1]:
            A = A.tocsr()
        return A, on_device

    @staticmethod
    def _narrow(indices: typing.Any) -> typing.Any:
        if len(indices) and (indices.max() > 2**31 - 1 or indices.min() < 0):
            raise SolverError(2, "an index of A is negative or beyond 32 bits")
        return indices.astype(np.int32)

    def _setup(self, A: typing.Any) -> None:
        A, self._on_device = self._canonical(A)
        flags = _ON_DEVICE if self._on_device else 0
        symmetric, null_space = self._facts
        if symmetric is not None:
            flags |= _FACTS_GIVEN | (_SYMMETRIC if symmetric else 0) | (_CONSTANT_NULL_SPACE if null_space else 0)
        elif null_space is not None:
            raise SolverError(2, "constant_null_space needs symmetric, too")
        address = _device_address if self._on_device else (lambda v: v.ctypes.data)
        index = A.indices if self._on_device or A.indices.dtype == np.int32 else self._narrow(A.indices)
        values = A.data if self._on_device else np.ascontiguousarray(A.data)
        block = A.blocksize[0] if A.format == "bsr" else 1
        start = A.indptr
        if not self._copy and not self._on_device:
            flags |= _BORROW
            start = start.astype(np.int64, copy=False)
            self._lent = (start, index, values)
        bits = A.bits if isinstance(A, _DeviceRows) else 8 * start.dtype.itemsize
        copied = (lambda v: v.clone()) if hasattr(start, "clone") else (lambda v: v.copy())  # of PyTorch; of others
        self._size, self._pattern = A.shape[0], (A.format, block, copied(start), copied(index))
        csr = _Csr(ctypes.sizeof(_Csr), flags, A.shape[0] // block, block, bits, address(start), address(index), address(values))
        self._check(self._lib.weir_setup(self._open(), ctypes.byref(csr)))

    def update(self, A: typing.Any) -> None:
        """New values. A matrix with another pattern is set up as a new one."""
        A, on_device = self._canonical(A)
        form, block, start, index = self._pattern
        same = (on_device == self._on_device and A.format == form and A.shape[0] == self._size and
                (form == "csr" or A.blocksize[0] == block) and len(A.indices) == len(index) and
                bool((A.indptr == start).all()) and bool((A.indices == index).all()))
        if not same:
            return self._setup(A)
        values = A.data if on_device else np.ascontiguousarray(A.data)
        if not self._copy and not on_device:
            lent = self._lent[2]
            if lent.ctypes.data != values.ctypes.data:
                if not lent.flags.writeable:
                    raise SolverError(2, "the values of A were lent read-only: change them where they are and pass them again")
                np.copyto(lent, values)
            values = lent
        address = _device_address(values) if on_device else values.ctypes.data
        self._check(self._lib.weir_update(self._open(), ctypes.c_void_p(address)))

    def solve(self, b: typing.Any, x0: typing.Any = None, *, transposed: bool = False) -> tuple[typing.Any, typing.Any]:
        """x and a SolveResult; b of shape (n, k): x of that shape and a list of k results."""
        self._open()
        if getattr(b, "ndim", 1) == 2 and not self._on_device:
            return self._solve_many(_on_host(b, "b"), x0, transposed)
        if not self._on_device:
            b = _on_host(b, "b")
            x = np.zeros_like(b) if x0 is None else np.array(_on_host(x0, "x0"))
        else:
            x = b * 0.0 if x0 is None else x0 + 0.0
        rhs, to = _Vector(b, self._size, self._on_device, "b"), _Vector(x, self._size, self._on_device, "x0")
        raw = _Result(bytes=ctypes.sizeof(_Result))
        call = self._lib.weir_solve_transposed if transposed else self._lib.weir_solve
        self._check(call(self._handle, ctypes.c_void_p(rhs.address), ctypes.c_void_p(to.address), ctypes.byref(raw)))
        return x, _result_of(raw)

    def _solve_many(self, b: typing.Any, x0: typing.Any, transposed: bool) -> tuple[typing.Any, typing.Any]:
        k = b.shape[1]
        if transposed:
            columns = [self.solve(b[:, j], None if x0 is None else x0[:, j], transposed=True) for j in range(k)]
            return np.stack([x for x, _ in columns], axis=1), [result for _, result in columns]
        b = np.asfortranarray(b)
        x = np.zeros_like(b) if x0 is None else np.array(_on_host(x0, "x0"), order="F")
        for name, v in (("b", b), ("x0", x)):
            if v.shape != (self._size, k) or k == 0:
                raise SolverError(2, f"{name} has shape {v.shape}; expected ({self._size}, {max(k, 1)})")
        raw = (_Result * k)(_Result(bytes=ctypes.sizeof(_Result)))
        n = ctypes.c_int64(self._size)
        self._check(self._lib.weir_solve_many(self._handle, ctypes.c_int(k), ctypes.c_void_p(b.ctypes.data), n,
                                              ctypes.c_void_p(x.ctypes.data), n, raw))
        return x, [_result_of(r) for r in raw]

    def apply(self, r: typing.Any, *, transposed: bool = False) -> typing.Any:
        """One application of the preconditioner: z = M^-1 r."""
        self._open()
        r = r if self._on_device else _on_host(r, "r")
        z = r * 0.0
        source, to = _Vector(r, self._size, self._on_device, "r"), _Vector(z, self._size, self._on_device, "z")
        call = self._lib.weir_apply_transposed if transposed else self._lib.weir_apply
        self._check(call(self._handle, ctypes.c_void_p(source.address), ctypes.c_void_p(to.address)))
        return z

    def preconditioner(self) -> scipy.sparse.linalg.LinearOperator:
        """z = M^-1 r as a scipy operator, for scipy.sparse.linalg's methods."""
        n = self._size
        return scipy.sparse.linalg.LinearOperator((n, n), dtype=np.float64, matvec=lambda r: self.apply(r.ravel()),
                                                  rmatvec=lambda r: self.apply(r.ravel(), transposed=True))

    def aslinearoperator(self) -> scipy.sparse.linalg.LinearOperator:
        """x = A^-1 b as a scipy operator; SolverError if a solve does not converge."""

        def solve(b: typing.Any, transposed: bool) -> typing.Any:
            x, result = self.solve(b.ravel(), transposed=transposed)
            if not result.converged:
                raise SolverError(3, f"{result.reason} after {result.iterations} iterations, |b - A x| = {result.residual:.3g}")
            return x

        n = self._size
        return scipy.sparse.linalg.LinearOperator((n, n), dtype=np.float64, matvec=lambda b: solve(b, False),
                                                  rmatvec=lambda b: solve(b, True))

    @property
    def history(self) -> typing.Any:
        """Residual norms of the last solve, one per iteration."""
        norms, count = ctypes.POINTER(ctypes.c_double)(), ctypes.c_int32()
        self._check(self._lib.weir_history(self._open(), ctypes.byref(norms), ctypes.byref(count)))
        return np.array(norms[:count.value])

    def record(self, folder: str | os.PathLike[str] | None) -> None:
        """Writes the systems of later solves into a folder for `weir replay` and `weir solve`; None: stops writing."""
        self._check(self._lib.weir_record(self._open(), None if folder is None else os.fsencode(folder)))

    def cancel(self) -> None:
        """Ends the running solve; to be called from another thread."""
        self._lib.weir_cancel(self._open())

    def close(self) -> None:
        if self._handle:
            self._lib.weir_destroy(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Solver":
        return self

    def __exit__(self, *_: typing.Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __repr__(self) -> str:
        return f"<weir.Solver {self._lib.weir_describe(self._handle).decode()}>" if self._handle else "<weir.Solver, closed>"
