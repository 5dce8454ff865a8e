! Fortran interface of weir.h, whose comments describe the arguments. Compile this file with your program:
!   gfortran weir.f90 mine.f90 -lweir
module weir
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: weir_ok = 0, weir_internal = 1, weir_bad_input = 2, weir_solver_failed = 3, &
                               weir_not_finite = 4, weir_out_of_memory = 7, weir_no_device = 8
  integer(c_int32_t), parameter :: weir_facts_given = 1, weir_symmetric = 2, weir_constant_null_space = 4, &
                                   weir_column_major = 8, weir_one_based = 16, weir_on_device = 32, weir_borrow = 64
  integer(c_int32_t), parameter :: weir_converged = 0, weir_max_iterations = 1, weir_breakdown = 2, &
                                   weir_stagnated = 3, weir_diverged = 4, weir_cancelled = 5

  type, bind(c) :: weir_csr
    integer(c_int32_t) :: bytes = 48, flags = weir_one_based
    integer(c_int64_t) :: rows = 0
    integer(c_int32_t) :: block = 1, row_start_bits = 32
    type(c_ptr) :: row_start = c_null_ptr, column = c_null_ptr, value = c_null_ptr
  end type weir_csr

  ! bands(cell, neighbour): the neighbours at z - 1, y - 1, x - 1, the cell itself, x + 1, y + 1, z + 1 (cells(3) = 1:
  ! y - 1 to y + 1); periodic: the sum of 1, 2 and 4 for x, y and z.
  type, bind(c) :: weir_stencil
    integer(c_int32_t) :: bytes = 32, flags = 0, cells(3) = 1, periodic = 0
    type(c_ptr) :: value = c_null_ptr
  end type weir_stencil

  type, bind(c) :: weir_result
    integer(c_int32_t) :: bytes = 64, reason = -1, iterations = 0, reserved = 0
    real(c_double) :: residual0 = 0, residual = 0, target = 0, setup_seconds = 0, solve_seconds = 0
    integer(c_int64_t) :: memory = 0
  end type weir_result

  interface
    integer(c_int) function weir_create_c(options, solver) bind(c, name="weir_create")
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: options(*)
      type(c_ptr), intent(out) :: solver
    end function
    subroutine weir_destroy(solver) bind(c)
      import :: c_ptr
      type(c_ptr), value :: solver
    end subroutine
    type(c_ptr) function weir_error_c(solver) bind(c, name="weir_error")
      import :: c_ptr
      type(c_ptr), value :: solver
    end function
    integer(c_int) function weir_set_threads(solver, threads) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: solver
      integer(c_int), value :: threads
    end function
    integer(c_int) function weir_set_communicator(solver, comm) bind(c, name="weir_set_communicator_f")
      import :: c_ptr, c_int
      type(c_ptr), value :: solver
      integer(c_int), value :: comm  ! mpi_comm_world, or comm%mpi_val of mpi_f08
    end function
    integer(c_int) function weir_setup(solver, A) bind(c)
      import :: c_ptr, c_int, weir_csr
      type(c_ptr), value :: solver
      type(weir_csr), intent(in) :: A
    end function
    integer(c_int) function weir_setup_stencil(solver, A) bind(c)
      import :: c_ptr, c_int, weir_stencil
      type(c_ptr), value :: solver
      type(weir_stencil), intent(in) :: A
    end function
    integer(c_int) function weir_update(solver, values) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: values(*)
    end function
    integer(c_int) function weir_solve(solver, b, x, result) bind(c)
      import :: c_ptr, c_int, c_double, weir_result
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
      type(weir_result), intent(inout) :: result
    end function
    integer(c_int) function weir_solve_transposed(solver, b, x, result) bind(c)
      import :: c_ptr, c_int, c_double, weir_result
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
      type(weir_result), intent(inout) :: result
    end function
    integer(c_int) function weir_solve_many(solver, k, b, stride_b, x, stride_x, results) bind(c)
      import :: c_ptr, c_int, c_double, c_int64_t, weir_result
      type(c_ptr), value :: solver
      integer(c_int), value :: k
      integer(c_int64_t), value :: stride_b, stride_x
      real(c_double), intent(in) :: b(*)
      real(c_double), intent(inout) :: x(*)
      type(weir_result), intent(inout) :: results(*)
    end function
    integer(c_int) function weir_apply(solver, r, z) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: r(*)
      real(c_double), intent(inout) :: z(*)
    end function
    integer(c_int) function weir_apply_transposed(solver, r, z) bind(c)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: r(*)
      real(c_double), intent(inout) :: z(*)
    end function
    ! apply: c_funloc of an integer(c_int) function f(context, x, y) bind(c), context a type(c_ptr), value; near:
    ! c_null_ptr, or c_loc of a weir_csr.
    integer(c_int) function weir_setup_operator(solver, size, flags, apply, context, near) bind(c)
      import :: c_ptr, c_funptr, c_int, c_int32_t, c_int64_t
      type(c_ptr), value :: solver, context, near
      integer(c_int64_t), value :: size
      integer(c_int32_t), value :: flags
      type(c_funptr), value :: apply
    end function
    integer(c_int) function weir_cancel(solver) bind(c)
      import :: c_ptr, c_int
      type(c_ptr), value :: solver
    end function
    integer(c_int) function weir_record_c(solver, folder) bind(c, name="weir_record")
      import :: c_char, c_ptr, c_int
      type(c_ptr), value :: solver
      character(kind=c_char), intent(in) :: folder(*)
    end function
  end interface

contains

  integer function weir_create(options, solver) result(code)
    character(*), intent(in) :: options
    type(c_ptr), intent(out) :: solver
    code = weir_create_c(options // c_null_char, solver)
  end function weir_create

  integer function weir_record(solver, folder) result(code)
    type(c_ptr), intent(in) :: solver
    character(*), intent(in) :: folder
    code = weir_record_c(solver, folder // c_null_char)
  end function weir_record

  ! Message of the last call of this solver that failed; c_null_ptr: of weir_create.
  function weir_error(solver) result(text)
    type(c_ptr), intent(in) :: solver
    character(:), allocatable :: text
    type(c_ptr) :: from
    character(kind=c_char), pointer :: letters(:)
    integer :: n, i
    interface
      integer(c_size_t) function strlen(s) bind(c)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
      end function
    end interface
    from = weir_error_c(solver)
    n = int(strlen(from))
    call c_f_pointer(from, letters, [n])
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = letters(i)
    end do
  end function weir_error

end module weir
