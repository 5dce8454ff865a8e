! As client.c, counting from one.
program client
  use weir_capture
  implicit none
  integer, parameter :: rows = 20, block = 2
  integer(c_int32_t) :: start(rows + 1), column(3*rows)
  real(c_double) :: values(block, block, 3*rows), rhs(rows*block)
  real(c_double), target :: guess(rows*block)
  integer :: i, j, e, step, failed
  type(c_ptr) :: c, from
  c = weir_capture_open('dump_f'//c_null_char, 'flow'//c_null_char, 0)
  e = 0
  do i = 1, rows
    start(i) = e + 1
    do j = max(1, i - 1), min(rows, i + 1)
      e = e + 1
      column(e) = j
    end do
  end do
  start(rows + 1) = e + 1
  failed = weir_capture_pattern(c, int(rows, c_int64_t), block, start, column, 1)
  do step = 1, 3
    do i = 1, rows
      do j = start(i), start(i + 1) - 1
        values(:, :, j) = -0.25d0*step
        if (column(j) == i) then
          values(:, :, j) = 0.5d0
          values(1, 1, j) = 8 + 0.125d0*(i - 1)
          values(2, 2, j) = values(1, 1, j)
        end if
      end do
    end do
    do i = 1, rows*block
      rhs(i) = 1 + 0.5d0*(i - 1)
      guess(i) = 0.25d0*(i - 1)*step
    end do
    from = c_null_ptr
    if (step > 1) from = c_loc(guess)
    failed = weir_capture_system(c, values, rhs, from, int(step, c_int64_t), 0.5d0*step)
  end do
  if (weir_capture_failed(c) /= 0) print *, weir_capture_message(c)
  if (weir_capture_failed(c) /= 0 .or. weir_capture_count(c) /= 3) stop 1
  call weir_capture_close(c)
end program client
