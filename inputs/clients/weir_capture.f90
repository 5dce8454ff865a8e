! weir_capture.h for Fortran: the same calls, base = 1 for arrays that count from one. Compile the C part once:
!   cc -x c -DWEIR_CAPTURE_IMPLEMENTATION -c weir_capture.h -o weir_capture_c.o
!
!   type(c_ptr) :: c
!   c = weir_capture_open('dump'//c_null_char, 'pressure'//c_null_char, 0)
!   ierr = weir_capture_pattern(c, int(n, c_int64_t), 1, row_start, column, 1)
!   ierr = weir_capture_system(c, values, rhs, c_loc(guess), step, time)      ! or c_null_ptr: zeros
!   if (weir_capture_failed(c) /= 0) print *, weir_capture_message(c)
!   call weir_capture_close(c)
module weir_capture
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    function weir_capture_open(folder, name, append) bind(c) result(c)
      import :: c_ptr, c_char, c_int
      character(kind=c_char), intent(in) :: folder(*), name(*)
      integer(c_int), value :: append
      type(c_ptr) :: c
    end function
    function weir_capture_pattern(c, rows, block, row_start, column, base) bind(c) result(failed)
      import :: c_ptr, c_int, c_int32_t, c_int64_t
      type(c_ptr), value :: c
      integer(c_int64_t), value :: rows
      integer(c_int), value :: block, base
      integer(c_int32_t), intent(in) :: row_start(*), column(*)
      integer(c_int) :: failed
    end function
    function weir_capture_pattern_64(c, rows, block, row_start, column, base) bind(c) result(failed)
      import :: c_ptr, c_int, c_int32_t, c_int64_t
      type(c_ptr), value :: c
      integer(c_int64_t), value :: rows
      integer(c_int), value :: block, base
      integer(c_int64_t), intent(in) :: row_start(*)
      integer(c_int32_t), intent(in) :: column(*)
      integer(c_int) :: failed
    end function
    function weir_capture_coordinates(c, rows, coordinates) bind(c) result(failed)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: c
      integer(c_int64_t), value :: rows
      real(c_double), intent(in) :: coordinates(*)
      integer(c_int) :: failed
    end function
    function weir_capture_system(c, values, rhs, guess, step, time) bind(c) result(failed)
      import :: c_ptr, c_int, c_int64_t, c_double
      type(c_ptr), value :: c, guess
      real(c_double), intent(in) :: values(*), rhs(*)
      integer(c_int64_t), value :: step
      real(c_double), value :: time
      integer(c_int) :: failed
    end function
    function weir_capture_failed(c) bind(c) result(failed)
      import :: c_ptr, c_int
      type(c_ptr), value :: c
      integer(c_int) :: failed
    end function
    function weir_capture_error(c) bind(c) result(text)
      import :: c_ptr
      type(c_ptr), value :: c
      type(c_ptr) :: text
    end function
    function weir_capture_count(c) bind(c) result(count)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: c
      integer(c_int64_t) :: count
    end function
    subroutine weir_capture_close(c) bind(c)
      import :: c_ptr
      type(c_ptr), value :: c
    end subroutine
  end interface

contains

  function weir_capture_message(c) result(text)
    type(c_ptr), intent(in) :: c
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(weir_capture_error(c), letters, [512])
    text = ''
    do i = 1, 512
      if (letters(i) == c_null_char) exit
      text = text//letters(i)
    end do
  end function

end module weir_capture
