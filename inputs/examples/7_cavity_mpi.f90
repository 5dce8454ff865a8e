! 7. The lid-driven cavity at Re = 100 in Fortran with MPI: vorticity and stream function on n x n cells, explicit in
! time, a Poisson system per time step by Weir, the grid lines distributed over the ranks. The steady minimum of the
! stream function is -0.103423 (Ghia, Ghia and Shin 1982, Table III); second order in the cell width.
!
!   mpifort PREFIX/include/weir/weir.f90 7_cavity_mpi.f90 -lweir && mpirun -n 2 ./a.out
program cavity_mpi
  use mpi
  use weir
  implicit none
  integer, parameter :: n = 32, m = n - 1
  character, parameter :: nl = new_line('a')
  real(c_double), parameter :: h = 1d0 / n, nu = 0.01d0, dt = 0.2d0 * h**2 / nu, ghia = -0.103423d0
  real(c_double), allocatable :: psi(:, :), w(:, :), rate(:, :), b(:), x(:)
  real(c_double) :: largest, lowest
  type(weir_result) :: result
  type(c_ptr) :: solver
  integer :: ranks, me, first, last, step, i, j, error, iterations

  call mpi_init(error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call mpi_comm_rank(mpi_comm_world, me, error)
  first = me * m / ranks + 1  ! inner grid lines of this rank
  last = (me + 1) * m / ranks
  allocate (psi(0:n, first - 1:last + 1), w(0:n, first - 1:last + 1), rate(m, first:last))
  allocate (b(m * (last - first + 1)), x(m * (last - first + 1)))
  psi = 0
  w = 0
  x = 0
  iterations = 0
  call set_up()

  do step = 1, 5000
    b = h**2 * reshape(w(1:m, first:last), [size(b)])
    call check(weir_solve(solver, b, x, result))
    if (result%reason /= weir_converged) error stop 'no convergence'
    iterations = iterations + result%iterations
    psi(1:m, first:last) = reshape(x, [m, last - first + 1])
    call exchange(psi)
    w(0, first:last) = -2 * psi(1, first:last) / h**2  ! Thom's condition on the walls
    w(n, first:last) = -2 * psi(m, first:last) / h**2
    call exchange(w)
    if (first == 1) w(:, 0) = -2 * psi(:, 1) / h**2
    if (last == m) w(:, n) = -2 * psi(:, m) / h**2 - 2 / h  ! the lid, at velocity 1
    do j = first, last
      do i = 1, m
        rate(i, j) = ((psi(i + 1, j) - psi(i - 1, j)) * (w(i, j + 1) - w(i, j - 1)) &
                      - (psi(i, j + 1) - psi(i, j - 1)) * (w(i + 1, j) - w(i - 1, j))) / (4 * h**2) &
                     + nu * (w(i - 1, j) + w(i + 1, j) + w(i, j - 1) + w(i, j + 1) - 4 * w(i, j)) / h**2
      end do
    end do
    w(1:m, first:last) = w(1:m, first:last) + dt * rate
    call mpi_allreduce(maxval(abs(rate)), largest, 1, mpi_double_precision, mpi_max, mpi_comm_world, error)
    if (largest < 1d-3) exit
  end do

  call mpi_allreduce(minval(psi), lowest, 1, mpi_double_precision, mpi_min, mpi_comm_world, error)
  if (me == 0) print '(i0, a, i0, a, i0, a, f10.6, a, f10.6)', ranks, ' ranks, ', step, ' time steps, ', iterations, &
    ' iterations, least stream function', lowest, ', Ghia et al.', ghia
  call weir_destroy(solver)
  call mpi_finalize(error)
  if (abs(lowest / ghia - 1) > 0.04d0) error stop 1

contains

  ! -psi_xx - psi_yy = w with psi = 0 on the walls, times h^2; columns count over all ranks.
  subroutine set_up()
    integer(c_int32_t), allocatable, target :: row_start(:), column(:)
    real(c_double), allocatable, target :: value(:)
    type(weir_csr) :: A
    integer :: row, e
    allocate (row_start(size(b) + 1), column(5 * size(b)), value(5 * size(b)))
    e = 0
    do row = (first - 1) * m + 1, last * m
      row_start(row - (first - 1) * m) = e + 1
      if (row > m) call put(column, value, e, row - m, -1d0)
      if (mod(row, m) /= 1) call put(column, value, e, row - 1, -1d0)
      call put(column, value, e, row, 4d0)
      if (mod(row, m) /= 0) call put(column, value, e, row + 1, -1d0)
      if (row <= (m - 1) * m) call put(column, value, e, row + m, -1d0)
    end do
    row_start(size(b) + 1) = e + 1
    A%rows = size(b)
    A%row_start = c_loc(row_start)
    A%column = c_loc(column)
    A%value = c_loc(value)
    ! A step improves the last one's solution: the flow goes to a steady state.
    if (weir_create('method = "cg"' // nl // 'tolerance = 0.05' // nl // 'reference = "initial"' // nl // &
                    'preconditioner = { type = "block_ilu0" }', solver) /= weir_ok) error stop 'options'
    call check(weir_set_communicator(solver, mpi_comm_world))
    call check(weir_setup(solver, A))  ! copies the arrays
  end subroutine set_up

  subroutine put(column, value, e, at, a_ij)
    integer(c_int32_t), intent(inout) :: column(:)
    real(c_double), intent(inout) :: value(:)
    integer, intent(inout) :: e
    integer, intent(in) :: at
    real(c_double), intent(in) :: a_ij
    e = e + 1
    column(e) = at
    value(e) = a_ij
  end subroutine put

  subroutine check(code)
    integer, intent(in) :: code
    if (code /= weir_ok) error stop weir_error(solver)
  end subroutine check

  ! The neighbours' lines beside this rank's.
  subroutine exchange(v)
    real(c_double), intent(inout) :: v(0:n, first - 1:last + 1)
    integer :: below, above
    below = merge(me - 1, mpi_proc_null, me > 0)
    above = merge(me + 1, mpi_proc_null, me < ranks - 1)
    call mpi_sendrecv(v(:, last), n + 1, mpi_double_precision, above, 0, v(:, first - 1), n + 1, &
                      mpi_double_precision, below, 0, mpi_comm_world, mpi_status_ignore, error)
    call mpi_sendrecv(v(:, first), n + 1, mpi_double_precision, below, 1, v(:, last + 1), n + 1, &
                      mpi_double_precision, above, 1, mpi_comm_world, mpi_status_ignore, error)
  end subroutine exchange

end program cavity_mpi
