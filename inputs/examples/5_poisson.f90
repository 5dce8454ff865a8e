! 5. Poisson's equation -u_xx - u_yy = 1 on the unit square in Fortran, by conjugate gradients with block ILU(0).
!
!   gfortran PREFIX/include/weir/weir.f90 5_poisson.f90 -lweir && ./a.out
program poisson
  use weir
  implicit none
  integer, parameter :: n = 127, unknowns = n * n
  integer(c_int32_t), allocatable, target :: row_start(:), column(:)
  real(c_double), allocatable, target :: value(:)
  real(c_double), allocatable :: b(:), u(:)
  type(weir_csr) :: A
  type(weir_result) :: result
  type(c_ptr) :: solver
  integer :: i, j, row, e

  allocate (row_start(unknowns + 1), column(5 * unknowns), value(5 * unknowns), b(unknowns), u(unknowns))
  e = 0
  do j = 1, n
    do i = 1, n
      row = (j - 1) * n + i
      row_start(row) = e + 1
      if (j > 1) call put(row - n, -1d0)
      if (i > 1) call put(row - 1, -1d0)
      call put(row, 4d0)
      if (i < n) call put(row + 1, -1d0)
      if (j < n) call put(row + n, -1d0)
    end do
  end do
  row_start(unknowns + 1) = e + 1
  b = 1d0 / (n + 1)**2
  u = 0

  A%rows = unknowns  ! indices count from 1: the default of this module
  A%row_start = c_loc(row_start)
  A%column = c_loc(column)
  A%value = c_loc(value)
  if (weir_create('method = "cg"' // new_line('a') // 'preconditioner = { type = "block_ilu0" }', solver) /= weir_ok) &
    error stop weir_error(c_null_ptr)
  if (weir_setup(solver, A) /= weir_ok) error stop weir_error(solver)
  if (weir_solve(solver, b, u, result) /= weir_ok) error stop weir_error(solver)
  print '(i0, a, i0, a, es9.2, a, f10.7)', unknowns, ' unknowns, ', result%iterations, ' iterations, residual ', &
    result%residual, ', largest u ', maxval(u)
  call weir_destroy(solver)
  if (result%reason /= weir_converged .or. abs(maxval(u) - 0.0736713d0) > 1d-5) error stop 1

contains

  subroutine put(at, a_ij)
    integer, intent(in) :: at
    real(c_double), intent(in) :: a_ij
    e = e + 1
    column(e) = at
    value(e) = a_ij
  end subroutine put

end program poisson
