! 6. Poisson's equation -u_xx - u_yy = 1 on the unit square in Fortran, its rows distributed over the ranks of MPI.
!
!   mpifort PREFIX/include/weir/weir.f90 6_poisson_mpi.f90 -lweir && mpirun -n 4 ./a.out
program poisson_mpi
  use mpi
  use weir
  implicit none
  integer, parameter :: n = 127
  integer(c_int32_t), allocatable, target :: row_start(:), column(:)
  real(c_double), allocatable, target :: value(:)
  real(c_double), allocatable :: b(:), u(:)
  real(c_double) :: largest
  type(weir_csr) :: A
  type(weir_result) :: result
  type(c_ptr) :: solver
  integer :: ranks, me, first, last, row, i, j, e, error

  call mpi_init(error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call mpi_comm_rank(mpi_comm_world, me, error)
  first = me * n / ranks * n + 1  ! whole grid lines; rows follow those of the lower ranks
  last = (me + 1) * n / ranks * n
  allocate (row_start(last - first + 2), column(5 * (last - first + 1)), value(5 * (last - first + 1)))
  allocate (b(last - first + 1), u(last - first + 1))
  e = 0
  do row = first, last
    i = mod(row - 1, n) + 1
    j = (row - 1) / n + 1
    row_start(row - first + 1) = e + 1
    if (j > 1) call put(row - n, -1d0)  ! columns count over all ranks
    if (i > 1) call put(row - 1, -1d0)
    call put(row, 4d0)
    if (i < n) call put(row + 1, -1d0)
    if (j < n) call put(row + n, -1d0)
  end do
  row_start(last - first + 2) = e + 1
  b = 1d0 / (n + 1)**2
  u = 0

  A%rows = last - first + 1
  A%row_start = c_loc(row_start)
  A%column = c_loc(column)
  A%value = c_loc(value)
  if (weir_create('method = "cg"' // new_line('a') // 'preconditioner = { type = "block_ilu0" }', solver) /= weir_ok) &
    error stop weir_error(c_null_ptr)
  if (weir_set_communicator(solver, mpi_comm_world) /= weir_ok) error stop weir_error(solver)
  if (weir_setup(solver, A) /= weir_ok) error stop weir_error(solver)
  if (weir_solve(solver, b, u, result) /= weir_ok) error stop weir_error(solver)
  call mpi_allreduce(maxval(u), largest, 1, mpi_double_precision, mpi_max, mpi_comm_world, error)
  if (me == 0) print '(i0, a, i0, a, i0, a, es9.2, a, f10.7)', n * n, ' unknowns on ', ranks, ' ranks, ', &
    result%iterations, ' iterations, residual ', result%residual, ', largest u ', largest
  call weir_destroy(solver)
  call mpi_finalize(error)
  if (result%reason /= weir_converged .or. abs(largest - 0.0736713d0) > 1d-5) error stop 1

contains

  subroutine put(at, a_ij)
    integer, intent(in) :: at
    real(c_double), intent(in) :: a_ij
    e = e + 1
    column(e) = at
    value(e) = a_ij
  end subroutine put

end program poisson_mpi
