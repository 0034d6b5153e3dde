! Calls MPI by `use mpi_f08`: handles with types, statuses with fields, error codes that are left out, strings, LOGICALs,
! callbacks, memory. Each rank prints what every MPI must print.

module callbacks_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: copies = 0, deletes = 0
contains
  subroutine smaller(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: input(:), inout(:)
    if (datatype /= MPI_INTEGER) stop 3
    call c_f_pointer(invec, input, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = min(input, inout)
  end subroutine

  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletes = deletes + int(attribute_val)
    ierror = MPI_SUCCESS
  end subroutine
end module

program calls_f08
  use mpi_f08
  use callbacks_f08
  implicit none
  integer :: rank, size, left, right
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call messages
  call objects
  call attributes
  call memory
  call MPI_Finalize()
contains
  subroutine say(what, number)
    character(*), intent(in) :: what
    integer, intent(in) :: number
    print '(i0,1x,a,1x,i0)', rank, what, number
  end subroutine

  subroutine messages
    type(MPI_Status) :: status, all(2)
    type(MPI_Request) :: requests(2)
    integer :: numbers(2), sums(2), count, least, found
#ifdef WITH_ANYCCL
    integer :: plain(MPI_STATUS_SIZE)
#endif
    logical :: flag
    call MPI_Irecv(numbers(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(numbers(2), 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Send(rank + 10, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Send(rank + 20, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
    call MPI_Waitall(2, requests, all)
    call say('messages', sum(numbers) + 100 * all(1)%MPI_TAG + 1000 * all(2)%MPI_TAG + 10000 * all(1)%MPI_SOURCE)
    call say('null', merge(1, 0, requests(1) == MPI_REQUEST_NULL .and. .not. requests(2) /= MPI_REQUEST_NULL))
    call MPI_Waitany(2, requests, found, MPI_STATUS_IGNORE)
    call say('undefined', merge(1, 0, found == MPI_UNDEFINED))
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 3, numbers, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call say('exchanged', numbers(1) + 10 * count + 100 * status%MPI_TAG)
#ifdef WITH_ANYCCL
    ! Not every module has these.
    call MPI_Status_f082f(status, plain)
    if (plain(1) /= left .or. plain(2) /= 3) stop 4
    call MPI_Status_f2f08(plain, all(1))
    call MPI_Get_count(all(1), MPI_INTEGER, count)
    if (all(1)%MPI_SOURCE /= left .or. count /= 1) stop 5
#endif
    sums = [rank, 1]
    call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call say('sums', sums(1) + 100 * sums(2))
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status)
    call say('probe', merge(1, 0, flag))
    call own_operator(least)
    call say('least', least)
  end subroutine

  subroutine own_operator(least)
    integer, intent(out) :: least
    type(MPI_Op) :: op
    call MPI_Op_create(smaller, .true., op)
    call MPI_Allreduce(10 - rank, least, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
    call MPI_Op_free(op)
  end subroutine

  subroutine objects
    type(MPI_Comm) :: comm, half
    type(MPI_Datatype) :: datatype
    type(MPI_Info) :: info
    type(MPI_Group) :: group
    character(MPI_MAX_OBJECT_NAME) :: name
    character(8) :: value
    integer :: length, matrix(3, 3), row(3), at, code, class
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_name(comm, 'named  ')
    call MPI_Comm_get_name(comm, name, length)
    call say('['//trim(name)//']', length)
    call MPI_Comm_split(comm, mod(rank, 2), -rank, half)
    call MPI_Comm_size(half, length)
    call say('half', length)
    call MPI_Comm_group(half, group)
    call MPI_Group_free(group)
    call MPI_Comm_free(half)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call MPI_Send(rank, 1, MPI_INTEGER, size + 1, 0, comm, code)
    call MPI_Error_class(code, class)
    call say('wrong rank', merge(1, 0, class == MPI_ERR_RANK))
    call MPI_Comm_free(comm)
    call say('null', merge(1, 0, comm == MPI_COMM_NULL))
    matrix = reshape([(at, at = 1, 9)], [3, 3])
    call MPI_Type_vector(3, 1, 3, MPI_INTEGER, datatype)
    call MPI_Type_commit(datatype)
    call MPI_Sendrecv(matrix(2, 1), 1, datatype, rank, 0, row, 3, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call say('row', sum(row))
    call MPI_Type_free(datatype)
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', ' value ')
    call MPI_Info_get(info, 'key', 8, value, flag)
    call say('info ['//value//']', merge(1, 0, flag))
    call MPI_Info_free(info)
  end subroutine

  subroutine attributes
    type(MPI_Comm) :: comm, copied
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call say('tag ub', merge(1, 0, flag .and. value >= 32767))
    call MPI_Comm_create_keyval(copy, delete, key, 7_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_attr(comm, key, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(comm, copied)
    call MPI_Comm_get_attr(copied, key, value, flag)
    call say('copied', int(value))
    call MPI_Comm_free(copied)
    call MPI_Comm_free(comm)
    call say('callbacks', copies + deletes)
    call MPI_Comm_free_keyval(key)
  end subroutine

  subroutine memory
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer :: numbers(:)
    integer, target :: buffer(1000)
    integer :: bytes, got
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, numbers, [4])
    numbers = -1
    call MPI_Win_fence(0, win)
    call MPI_Put(rank + 30, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call say('window', numbers(2))
    call MPI_Win_free(win)
    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
    call c_f_pointer(base, numbers, [100])
    numbers = 3
    call say('memory', sum(numbers))
    call MPI_Free_mem(numbers)
    call MPI_Buffer_attach(buffer, 4000)
    call MPI_Bsend(rank + 40, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD)
    call MPI_Recv(got, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Buffer_detach(base, bytes)
    call c_f_pointer(base, numbers, [1000])
    call say('buffered', got + bytes + merge(1, 0, associated(numbers, buffer)))
  end subroutine
end program
