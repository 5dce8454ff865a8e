! The module weir with input of every wrong kind, at random: an error with its reason or a result, never the end of the
! process. tests/bare/clients.sh builds it against an installed Weir.
program bad_input
  use weir
  use, intrinsic :: ieee_arithmetic
  implicit none
  integer, parameter :: n = 6, unknowns = n * n, most = 5 * unknowns
  integer(c_int32_t), target :: start(unknowns + 1), column(most)
  integer(c_int64_t), target :: long_start(unknowns + 1)
  real(c_double), target :: value(most)
  real(c_double) :: b(unknowns), x(unknowns), z(unknowns)
  type(weir_csr) :: A
  type(weir_result) :: result, results(3)
  type(c_ptr) :: solver, destroyed
  integer :: trial, call_number, solved, refused, entries
  character(:), allocatable :: options

  call random_seed(put=[(47 + trial, trial=1, 64)])
  solved = 0
  refused = 0
  if (weir_create('', destroyed) /= weir_ok) error stop weir_error(c_null_ptr)
  call weir_destroy(destroyed)
  do trial = 1, 2000
    select case (below(12))
    case (0); options = 'method = "gmress"'
    case (1); options = 'method = 3'
    case (2); options = '[a'
    case (3); options = 'tolerance = -1'
    case (4); options = 'preconditioner = { type = "parilu" }'
    case (5); options = ''
    case default; options = 'method = "bicgstab"' // new_line('a') // 'preconditioner = { type = "block_ilu0" }'
    end select
    call counts(weir_create(options, solver), c_null_ptr)
    if (below(20) == 0) solver = destroyed
    if (below(40) == 0) solver = c_null_ptr
    do call_number = 1, 4
      call fill()
      call spoil()
      call counts(weir_setup(solver, A), solver)
      select case (below(7))
      case (0); call counts(weir_update(solver, value), solver)
      case (1); call counts(weir_solve_transposed(solver, b, x, result), solver)
      case (2); call counts(weir_solve_many(solver, below(4) - 1, b, int(unknowns - below(2), c_int64_t), x, &
                                            int(unknowns, c_int64_t), results), solver)
      case (3); call counts(weir_apply(solver, b, z), solver)
      case (4); call counts(weir_apply_transposed(solver, b, z), solver)
      case (5); call counts(weir_set_threads(solver, below(6) - 3), solver)
      case default; call counts(weir_solve(solver, b, x, result), solver)
      end select
    end do
    call weir_destroy(solver)
    call counts(weir_solve(solver, b, x, result), solver)
  end do
  print '(i0, a, i0, a)', solved, ' calls ended well, ', refused, ' were refused'
  if (solved < 500 .or. refused < 2000) error stop 1

contains

  integer function below(limit)
    integer, intent(in) :: limit
    real :: r
    call random_number(r)
    below = min(int(r * limit), limit - 1)
  end function below

  subroutine counts(code, of)
    integer, intent(in) :: code
    type(c_ptr), intent(in) :: of
    if (code == weir_ok) then
      solved = solved + 1
    else
      refused = refused + 1
      if (len(weir_error(of)) == 0) error stop 'an error without a message'
      if (code == weir_internal) error stop weir_error(of)
    end if
  end subroutine counts

  subroutine fill()
    integer :: i, j, row
    entries = 0
    do j = 1, n
      do i = 1, n
        row = (j - 1) * n + i
        start(row) = entries + 1
        if (j > 1) call put(row - n, -1d0)
        if (i > 1) call put(row - 1, -1.3d0)
        call put(row, 4.2d0)
        if (i < n) call put(row + 1, -0.7d0)
        if (j < n) call put(row + n, -1d0)
      end do
    end do
    start(unknowns + 1) = entries + 1
    call random_number(b)
    x = 0
    A = weir_csr(rows=unknowns, row_start=c_loc(start), column=c_loc(column), value=c_loc(value))
    result = weir_result()
    if (below(3) > 0) return
    long_start = start
    A%row_start = c_loc(long_start)
    A%row_start_bits = 64
  end subroutine fill

  subroutine put(at, a_ij)
    integer, intent(in) :: at
    real(c_double), intent(in) :: a_ij
    entries = entries + 1
    column(entries) = at
    value(entries) = a_ij
  end subroutine put

  subroutine spoil()
    integer :: at
    at = 1 + below(entries)
    select case (below(24))
    case (0); A%bytes = below(100)
    case (1); A%rows = below(unknowns + 1) - 1
    case (2); A%block = 66 * below(2) - below(2)
    case (3); A%row_start_bits = 16
    case (4); A%row_start = c_null_ptr
    case (5); A%column = c_null_ptr
    case (6); A%value = c_null_ptr
    case (7); column(at) = below(4 * unknowns) - unknowns
    case (8); column(at) = column(1 + below(entries))
    case (9); value(at) = ieee_value(1d0, ieee_quiet_nan)
    case (10); value(at) = ieee_value(1d0, ieee_positive_inf)
    case (11); value = 0
    case (12); start(1 + below(unknowns)) = below(entries)
    case (13); b(1 + below(unknowns)) = ieee_value(1d0, ieee_quiet_nan)
    case (14); b = 1d300
    case (15); result%bytes = below(100)
    case (16); A%flags = ior(iand(A%flags, 16), below(16))
    end select
  end subroutine spoil

end program bad_input
