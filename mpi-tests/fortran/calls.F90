! Calls MPI from Fortran: strings, LOGICALs, sentinels, statuses, callbacks, attributes, and what MPI 1 declared with
! INTEGERs. Each rank prints what every MPI must print. With -DWITH_MODULE it uses the module, otherwise mpif.h;
! with -DWITH_ANYCCL it also calls what older MPIs do not have.

! Not every mpif.h declares these functions.
module addresses
  implicit none
  integer, parameter :: wide = selected_int_kind(18)
contains
  integer function added(base, disp)
    integer(wide), intent(in) :: base, disp
    integer(wide), external :: MPI_Aint_add
    added = int(MPI_Aint_add(base, disp))
  end function

  integer function subtracted(base, disp)
    integer(wide), intent(in) :: base, disp
    integer(wide), external :: MPI_Aint_diff
    subtracted = int(MPI_Aint_diff(base, disp))
  end function
end module

module callbacks
#ifdef WITH_MODULE
  use mpi
#endif
  implicit none
#ifndef WITH_MODULE
  include 'mpif.h'
#endif
  integer :: copies = 0, deletes = 0, errors = 0, queries = 0, frees = 0, cancels = 0
contains
  subroutine largest(input, inout, count, datatype)
    integer :: count, datatype, at
    integer :: input(2, count), inout(2, count)
    if (datatype == MPI_DATATYPE_NULL) stop 3
    do at = 1, count
      if (input(1, at) > inout(1, at)) inout(:, at) = input(:, at)
    end do
  end subroutine

  subroutine copy(comm, key, extra, value_in, value_out, flag, code)
    integer :: comm, key, code
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copies = copies + 1
    value_out = value_in + extra
    flag = .true.
    code = MPI_SUCCESS
  end subroutine

  subroutine delete(comm, key, value, extra, code)
    integer :: comm, key, code
    integer(MPI_ADDRESS_KIND) :: value, extra
    deletes = deletes + int(value)
    code = MPI_SUCCESS
  end subroutine

  subroutine old_copy(comm, key, extra, value_in, value_out, flag, code)
    integer :: comm, key, extra, value_in, value_out, code
    logical :: flag
    copies = copies + 1
    value_out = value_in * extra
    flag = .true.
    code = MPI_SUCCESS
  end subroutine

  subroutine old_delete(comm, key, value, extra, code)
    integer :: comm, key, value, extra, code
    deletes = deletes + value
    code = MPI_SUCCESS
  end subroutine

  subroutine on_error(comm, code)
    integer :: comm, code
    errors = errors + 1
  end subroutine

  subroutine query(extra, status, code)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), code
    queries = queries + int(extra)
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, code)
    call MPI_Status_set_cancelled(status, .false., code)
    status(MPI_SOURCE) = 7
    status(MPI_TAG) = 8
    code = MPI_SUCCESS
  end subroutine

  subroutine release(extra, code)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: code
    frees = frees + int(extra)
    code = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, code)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: code
    if (.not. complete) cancels = cancels + int(extra)
    code = MPI_SUCCESS
  end subroutine
end module

program calls
#ifdef WITH_MODULE
  use mpi
#endif
  use addresses, only: added, subtracted
  use callbacks, only: largest, copy, delete, old_copy, old_delete, on_error, query, release, cancel, &
    copies, deletes, errors, queries, frees, cancels
  implicit none
#ifndef WITH_MODULE
  include 'mpif.h'
#endif
  integer :: rank, size, code, provided, right, left
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  call environment
  call strings
  call sentinels
  call statuses
  call operators
  call topologies
  call types
  call attributes
  call error_handlers
  call generalized
  call windows
  call files
  call of_mpi_1
  call MPI_Finalize(code)
contains
  subroutine say(what, number)
    character(*), intent(in) :: what
    integer, intent(in) :: number
    if (code /= MPI_SUCCESS) print '(i0,1x,a,a,i0)', rank, what, ': error ', code
    print '(i0,1x,a,1x,i0)', rank, what, number
  end subroutine

  subroutine say_if(what, is_so)
    character(*), intent(in) :: what
    logical, intent(in) :: is_so
    ! The representation of a LOGICAL that MPI has written must be the compiler's.
    call say(what, merge(1, 0, is_so) + transfer(is_so, 1))
  end subroutine

  subroutine environment
    logical :: flag
    integer :: version, subversion
    double precision :: start
    integer(MPI_ADDRESS_KIND) :: address
    call MPI_Initialized(flag, code)
    call say_if('initialized', flag)
    call MPI_Finalized(flag, code)
    call say_if('finalized', flag)
    call MPI_Is_thread_main(flag, code)
    call say_if('is main', flag)
    call MPI_Query_thread(version, code)
    call say_if('thread level', version == provided)
    call MPI_Get_version(version, subversion, code)
    call say_if('version', version >= 3)
    start = MPI_Wtime()
    call say_if('clock', MPI_Wtime() >= start .and. MPI_Wtick() > 0 .and. MPI_Wtick() < 1)
    address = 40
    call say('sum', added(address, 2_MPI_ADDRESS_KIND))
    call say('difference', subtracted(address, 2_MPI_ADDRESS_KIND))
    call MPI_Pcontrol(1)
  end subroutine

  subroutine strings
    character(MPI_MAX_OBJECT_NAME) :: name
    character(MPI_MAX_PROCESSOR_NAME) :: host
    character(MPI_MAX_ERROR_STRING) :: text
    character(12) :: short
    character(20) :: value
    character(MPI_MAX_INFO_KEY) :: key
    integer :: comm, length, info, count, session
    logical :: flag
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
    call MPI_Comm_set_name(comm, 'a name   ', code)
    name = repeat('x', MPI_MAX_OBJECT_NAME)
    call MPI_Comm_get_name(comm, name, length, code)
    call say('['//name(1:length)//'] and blanks '//'['//trim(name)//']', length)
    call MPI_Comm_free(comm, code)
    call say_if('null', comm == MPI_COMM_NULL)
    name = repeat('x', MPI_MAX_OBJECT_NAME)
    call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length, code)
    call say('['//trim(name)//']', length)
    host = repeat('x', MPI_MAX_PROCESSOR_NAME)
    call MPI_Get_processor_name(host, length, code)
    call say_if('processor name', length > 0 .and. len_trim(host) == length)
    text = repeat('x', MPI_MAX_ERROR_STRING)
    call MPI_Error_string(MPI_ERR_TRUNCATE, text, length, code)
    call say_if('error string', length > 0 .and. len_trim(text) == length)
    call MPI_Info_create(info, code)
    call MPI_Info_set(info, ' key ', '  some value ', code)
    call MPI_Info_set(info, 'other', 'x', code)
    value = repeat('x', 20)
    call MPI_Info_get(info, 'key', 20, value, flag, code)
    call say_if('info ['//value//']', flag)
    call MPI_Info_get(info, '  key', 12, short, flag, code)
    call say_if('info ['//short//']', flag)
    call MPI_Info_get(info, 'none', 20, value, flag, code)
    call say_if('no info', flag)
#ifdef WITH_ANYCCL
    ! MPI before 4.0 does not have it. Lengths do not count a zero at the end.
    length = 0
    call MPI_Info_get_string(info, 'key', length, value, flag, code)
    if (.not. flag .or. length /= 10) stop 4
    value = '-'
    call MPI_Info_get_string(info, 'key', length, value, flag, code)
    if (.not. flag .or. length /= 10 .or. value /= 'some value') stop 5
    length = 6
    call MPI_Info_get_string(info, 'key', length, value, flag, code)
    if (length /= 10 .or. value /= 'some v') stop 6
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, code)
    length = 6
    value = '-'
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, value, code)
    if (length /= 11 .or. value /= 'mpi://') stop 8
    call MPI_Session_finalize(session, code)
    if (MPI_LONG_LONG_INT /= MPI_LONG_LONG) stop 9
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, code)
    call MPI_Comm_spawn('program', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, comm, MPI_ERRCODES_IGNORE, code)
    if (code == MPI_SUCCESS) stop 7
#endif
    call MPI_Info_get_valuelen(info, 'key   ', length, flag, code)
    call say('length', length)
    call MPI_Info_get_nkeys(info, count, code)
    call MPI_Info_get_nthkey(info, 0, key, code)
    call say('key ['//trim(key)//']', count)
    call MPI_Info_delete(info, 'key', code)
    call MPI_Info_get_nkeys(info, count, code)
    call say('keys', count)
    call MPI_Info_free(info, code)
    call say_if('null', info == MPI_INFO_NULL)
  end subroutine

  subroutine sentinels
    integer :: sums(3), datatype, status(MPI_STATUS_SIZE)
    ! MPI_BOTTOM hides from the compiler that a call changes them.
    integer, volatile :: parts(2)
    double precision, volatile :: real_part
    integer :: all(size)
    integer(MPI_ADDRESS_KIND) :: places(2)
    sums = [rank, 2 * rank, 1]
    call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    call say('sum', sums(1) + 100 * sums(2) + 10000 * sums(3))
    all = -1
    all(rank + 1) = rank * rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    call say('squares', sum(all))
    ! A type of absolute addresses, from MPI_BOTTOM on.
    parts = [rank + 1, rank + 2]
    real_part = rank + 0.5d0
    call MPI_Get_address(parts, places(1), code)
    call MPI_Get_address(real_part, places(2), code)
    call MPI_Type_create_struct(2, [2, 1], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], datatype, code)
    call MPI_Type_commit(datatype, code)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, datatype, right, 4, left, 4, MPI_COMM_WORLD, status, code)
    call say('from bottom', parts(1) + 10 * parts(2) + int(200 * real_part))
    call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, MPI_COMM_WORLD, code)
    call say('from bottom', parts(1) + 10 * parts(2) + int(200 * real_part))
    call MPI_Type_free(datatype, code)
    call MPI_Send(rank, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, code)
    call MPI_Recv(parts, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, code)
    call say_if('nobody', status(MPI_SOURCE) == MPI_PROC_NULL .and. status(MPI_TAG) == MPI_ANY_TAG)
  end subroutine

  subroutine statuses
    integer :: requests(4), all(MPI_STATUS_SIZE, 4), one(MPI_STATUS_SIZE), numbers(4), at, count, found, indices(4), left_over
    logical :: flag
    do at = 1, 4
      call MPI_Irecv(numbers(at), 1, MPI_INTEGER, left, at, MPI_COMM_WORLD, requests(at), code)
    end do
    do at = 1, 4
      call MPI_Send(10 * rank + at, 1, MPI_INTEGER, right, at, MPI_COMM_WORLD, code)
    end do
    all = 77
    call MPI_Waitall(4, requests, all, code)
    call say('tags', sum(all(MPI_TAG, :)))
    call say('sources', sum(all(MPI_SOURCE, :)))
    call say('numbers', sum(numbers))
    call MPI_Get_count(all(:, 3), MPI_INTEGER, count, code)
    call say('count', count)
    call say_if('all null', all_null(requests))
    call MPI_Waitany(4, requests, found, one, code)
    call say_if('undefined', found == MPI_UNDEFINED)
    do at = 1, 4
      call MPI_Irecv(numbers(at), 1, MPI_INTEGER, left, at, MPI_COMM_WORLD, requests(at), code)
    end do
    call MPI_Testany(4, requests, found, flag, MPI_STATUS_IGNORE, code)
    if (flag) call say('early', found)
    call MPI_Barrier(MPI_COMM_WORLD, code)
    call MPI_Ssend(rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, code)
    call MPI_Waitany(4, requests, found, one, code)
    call say('first index', found)
    call say('first tag', one(MPI_TAG))
    call MPI_Barrier(MPI_COMM_WORLD, code)
    call MPI_Ssend(rank, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, code)
    call MPI_Waitsome(4, requests, count, indices, all, code)
    call say('some', 100 * count + 10 * indices(1) + all(MPI_TAG, 1))
    call MPI_Barrier(MPI_COMM_WORLD, code)
    call MPI_Ssend(rank, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, code)
    call MPI_Ssend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, code)
    left_over = 2
    do while (left_over > 0)
      call MPI_Testsome(4, requests, count, indices, MPI_STATUSES_IGNORE, code)
      if (count == MPI_UNDEFINED) stop 4
      found = merge(0, found, left_over == 2) + sum(indices(1:count))
      left_over = left_over - count
    end do
    call say('indices', found)
    flag = .false.
    call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, code)
    call say_if('test all', flag)
    call MPI_Send_init(rank, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, requests(1), code)
    call MPI_Recv_init(numbers, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(2), code)
    do at = 1, 3
      call MPI_Startall(2, requests, code)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, code)
    end do
    call say('persistent', numbers(1))
    call MPI_Request_free(requests(1), code)
    call MPI_Request_free(requests(2), code)
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, one, code)
    call say_if('probe', flag)
    call MPI_Barrier(MPI_COMM_WORLD, code)
  end subroutine

  logical function all_null(requests)
    integer, intent(in) :: requests(:)
    all_null = all(requests == MPI_REQUEST_NULL)
  end function

  subroutine operators
    integer :: op, mine(2, 2), best(2, 2), datatype
    logical :: flag
    complex :: z
    double precision :: pair(2), extreme(2)
    call MPI_Op_create(largest, .true., op, code)
    call MPI_Op_commutative(op, flag, code)
    call say_if('commutative', flag)
    call MPI_Type_contiguous(2, MPI_INTEGER, datatype, code)
    call MPI_Type_commit(datatype, code)
    mine = reshape([mod(7 * rank, 5), rank, -rank, rank + 10], [2, 2])
    call MPI_Allreduce(mine, best, 2, datatype, op, MPI_COMM_WORLD, code)
    call say('best', best(1, 1) + 10 * best(2, 1) + 100 * best(1, 2) + 1000 * best(2, 2))
    call MPI_Op_free(op, code)
    call say_if('null', op == MPI_OP_NULL)
    call MPI_Type_free(datatype, code)
    z = cmplx(rank, 1)
    call MPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, code)
    call say('complex', int(real(z)) + 100 * int(aimag(z)))
    flag = rank == 0
    call MPI_Allreduce(MPI_IN_PLACE, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, code)
    call say_if('any', flag)
    pair = [dble(mod(rank, 2)), dble(rank)]
    call MPI_Allreduce(pair, extreme, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, code)
    call say('maxloc', int(extreme(2)))
  end subroutine

  subroutine topologies
    integer :: comm, row, dims(2), coordinates(2), source, dest, count, degrees(2), from(8), to(8), weights(8), none(1), group, &
      some, kind
    logical :: periods(2), flag
    dims = 0
    call MPI_Dims_create(size, 2, dims, code)
    call say('dims', dims(1) + 10 * dims(2))
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., comm, code)
    call MPI_Cart_get(comm, 2, dims, periods, coordinates, code)
    call say_if('periodic', periods(1))
    call say_if('not periodic', periods(2))
    call say('place', coordinates(1) + 10 * coordinates(2))
    call MPI_Cart_shift(comm, 1, 1, source, dest, code)
    call say_if('shift', source == MPI_PROC_NULL .or. dest == MPI_PROC_NULL)
    call MPI_Cart_sub(comm, [.true., .false.], row, code)
    call MPI_Comm_size(row, count, code)
    call say('row', count)
    call MPI_Topo_test(comm, kind, code)
    call say_if('cart', kind == MPI_CART)
    call MPI_Comm_free(row, code)
    call MPI_Comm_free(comm, code)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], [5], 1, [right], [6], MPI_INFO_NULL, .false., comm, code)
    call MPI_Dist_graph_neighbors_count(comm, degrees(1), degrees(2), flag, code)
    call say_if('weighted', flag)
    call MPI_Dist_graph_neighbors(comm, degrees(1), from, weights, degrees(2), to, weights(2:), code)
    call say('neighbors', from(1) + 10 * to(1) + 100 * weights(1) + 1000 * weights(2))
    call MPI_Comm_free(comm, code)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, MPI_INFO_NULL, &
      .false., comm, code)
    call MPI_Dist_graph_neighbors_count(comm, degrees(1), degrees(2), flag, code)
    call say_if('unweighted', flag)
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, from, 1, MPI_INTEGER, comm, code)
    call say('neighbor', from(1))
    call MPI_Comm_free(comm, code)
    none = 0
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, none, MPI_WEIGHTS_EMPTY, 0, none, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, &
      .false., comm, code)
    call MPI_Dist_graph_neighbors_count(comm, degrees(1), degrees(2), flag, code)
    call say('alone', degrees(1) + degrees(2))
    call MPI_Comm_free(comm, code)
    call MPI_Comm_group(MPI_COMM_WORLD, group, code)
    call MPI_Group_range_incl(group, 1, reshape([size - 1, 0, -1], [3, 1]), some, code)
    call MPI_Group_rank(some, count, code)
    call say('reversed', count)
    call MPI_Group_free(some, code)
    call MPI_Group_free(group, code)
  end subroutine

  subroutine types
    integer :: matrix(4, 4), column(4), datatype, at, integers(10), types_(2), counts(3), combiner, bytes, position, back
    integer(MPI_ADDRESS_KIND) :: lower, extent, addresses(2)
    character :: packed(100)
    double precision :: number
    matrix = reshape([(at, at = 1, 16)], [4, 4])
    call MPI_Type_vector(4, 1, 4, MPI_INTEGER, datatype, code)
    call MPI_Type_commit(datatype, code)
    call MPI_Sendrecv(matrix(2, 1), 1, datatype, right, 1, column, 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call say('row of a matrix', sum(column))
    call MPI_Type_get_extent(datatype, lower, extent, code)
    call say('extent', int(extent))
    call MPI_Type_get_envelope(datatype, counts(1), counts(2), counts(3), combiner, code)
    call say_if('vector', combiner == MPI_COMBINER_VECTOR)
    call MPI_Type_get_contents(datatype, counts(1), counts(2), counts(3), integers, addresses, types_, code)
    call say('contents', integers(1) + 10 * integers(2) + 100 * integers(3) + merge(1000, 0, types_(1) == MPI_INTEGER))
    call MPI_Type_free(datatype, code)
    call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 2], MPI_ORDER_FORTRAN, MPI_INTEGER, datatype, code)
    call MPI_Type_commit(datatype, code)
    column = 0
    call MPI_Sendrecv(matrix, 1, datatype, rank, 2, column, 4, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call say('block', sum(column))
    call MPI_Type_free(datatype, code)
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, datatype, code)
    call MPI_Type_size(datatype, bytes, code)
    call say('size', bytes)
    call MPI_Type_create_f90_real(12, 100, datatype, code)
    call MPI_Type_size(datatype, bytes, code)
    call say('size', bytes)
    position = 0
    call MPI_Pack(17, 1, MPI_INTEGER, packed, 100, position, MPI_COMM_WORLD, code)
    call MPI_Pack(2.5d0, 1, MPI_DOUBLE_PRECISION, packed, 100, position, MPI_COMM_WORLD, code)
    position = 0
    call MPI_Unpack(packed, 100, position, back, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    call MPI_Unpack(packed, 100, position, number, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, code)
    call say('unpacked', back + int(100 * number))
    lower = 0
    call MPI_Pack_external('external32', 258, 1, MPI_INTEGER, packed, 100_MPI_ADDRESS_KIND, lower, code)
    call say('big end', 10 * ichar(packed(3)) + ichar(packed(4)))
  end subroutine

  subroutine attributes
    integer :: key, comm, copied
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, code)
    call say_if('tag ub', flag .and. value >= 32767)
    call MPI_Comm_create_keyval(copy, delete, key, 1000_MPI_ADDRESS_KIND, code)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
    call MPI_Comm_get_attr(comm, key, value, flag, code)
    call say_if('not set', flag)
    call MPI_Comm_set_attr(comm, key, 5_MPI_ADDRESS_KIND, code)
    call MPI_Comm_get_attr(comm, key, value, flag, code)
    call say('value', int(value))
    call MPI_Comm_dup(comm, copied, code)
    call MPI_Comm_get_attr(copied, key, value, flag, code)
    call say('copied value', int(value))
    call MPI_Comm_free(copied, code)
    call MPI_Comm_delete_attr(comm, key, code)
    call say('copies', copies)
    call say('deletes', deletes)
    call MPI_Comm_free_keyval(key, code)
    call say_if('null', key == MPI_KEYVAL_INVALID)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, code)
    call MPI_Comm_set_attr(comm, key, 12345678901_MPI_ADDRESS_KIND, code)
    call MPI_Comm_dup(comm, copied, code)
    call MPI_Comm_get_attr(copied, key, value, flag, code)
    call say('whole value', int(value / 1000))
    call MPI_Comm_free(copied, code)
    call MPI_Comm_free(comm, code)
    call MPI_Comm_free_keyval(key, code)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, code)
    call MPI_Type_dup(MPI_INTEGER, comm, code)
    call MPI_Type_set_attr(comm, key, 44_MPI_ADDRESS_KIND, code)
    call MPI_Type_get_attr(comm, key, value, flag, code)
    call say('of a type', int(value))
    call MPI_Type_free(comm, code)
    call MPI_Type_free_keyval(key, code)
  end subroutine

  subroutine error_handlers
    integer :: handler, comm, returned, class, added, again
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
    call MPI_Comm_create_errhandler(on_error, handler, code)
    call MPI_Comm_set_errhandler(comm, handler, code)
    call MPI_Errhandler_free(handler, code)
    call MPI_Send(rank, 1, MPI_INTEGER, size + 5, 0, comm, returned)
    call say('handler', errors)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, code)
    call MPI_Send(rank, 1, MPI_INTEGER, size + 5, 0, comm, returned)
    call MPI_Error_class(returned, class, code)
    call say_if('wrong rank', class == MPI_ERR_RANK)
    call MPI_Send(rank, 1, MPI_INTEGER, right, -5, comm, returned)
    call MPI_Error_class(returned, class, code)
    call say_if('wrong tag', class == MPI_ERR_TAG)
    call MPI_Comm_get_errhandler(comm, again, code)
    call say_if('returned', again == MPI_ERRORS_RETURN)
    call MPI_Add_error_class(added, code)
    call MPI_Add_error_string(added, 'our own error  ', code)
    call tell_error(added)
    call MPI_Comm_free(comm, code)
  end subroutine

  subroutine tell_error(error)
    integer, intent(in) :: error
    character(MPI_MAX_ERROR_STRING) :: text
    integer :: length
    call MPI_Error_string(error, text, length, code)
    call say('['//trim(text)//']', length)
  end subroutine

  subroutine generalized
    integer :: request, status(MPI_STATUS_SIZE), count
    integer(MPI_ADDRESS_KIND), save :: extra = 5
    logical :: flag
    call MPI_Grequest_start(query, release, cancel, extra, request, code)
    call MPI_Test(request, flag, status, code)
    call say_if('complete', flag)
    call MPI_Cancel(request, code)
    call MPI_Grequest_complete(request, code)
    call MPI_Wait(request, status, code)
    call MPI_Get_count(status, MPI_INTEGER, count, code)
    call say('generalized', count + 10 * status(MPI_SOURCE) + 100 * status(MPI_TAG))
    call say('callbacks', merge(1, 0, queries > 0) + frees + cancels)
  end subroutine

  subroutine windows
#ifdef WITH_MODULE
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr) :: place
    integer, pointer :: memory(:)
#endif
    integer :: win, shared(4), got, bytes
    integer(MPI_ADDRESS_KIND) :: value, where
    logical :: flag
    shared = rank
    call MPI_Sizeof_of_integer(bytes)
    call MPI_Win_create(shared, int(4 * bytes, MPI_ADDRESS_KIND), bytes, MPI_INFO_NULL, MPI_COMM_WORLD, win, code)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, code)
    call say('win size', int(value))
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, code)
    call say('win unit', int(value))
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, code)
    call MPI_Get_address(shared, where, code)
    call say_if('win base', flag .and. value == where)
    call MPI_Win_fence(0, win, code)
    call MPI_Put(10 * rank, 1, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, code)
    call MPI_Win_fence(0, win, code)
    call MPI_Get_address(shared, where, code)
    call say('put', shared(3))
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win, code)
    call MPI_Accumulate(1, 1, MPI_INTEGER, 0, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win, code)
    call MPI_Win_unlock(0, win, code)
    call MPI_Barrier(MPI_COMM_WORLD, code)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win, code)
    call MPI_Get(got, 1, MPI_INTEGER, 0, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, code)
    call MPI_Win_unlock(0, win, code)
    call say('accumulated', got)
    call MPI_Win_free(win, code)
    call say_if('null', win == MPI_WIN_NULL)
    call MPI_Alloc_mem(1000_MPI_ADDRESS_KIND, MPI_INFO_NULL, value, code)
    call say_if('memory', value /= 0)
#ifdef WITH_MODULE
    call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, place, code)
    call c_f_pointer(place, memory, [10])
    memory = 4
    call say('memory by pointer', sum(memory))
    call MPI_Free_mem(memory, code)
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, code)
    call c_f_pointer(place, memory, [4])
    memory = rank
    call MPI_Win_fence(0, win, code)
    call MPI_Get(got, 1, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, code)
    call MPI_Win_fence(0, win, code)
    call say('window by pointer', got)
    call MPI_Win_free(win, code)
    call MPI_Win_allocate_shared(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, code)
    call c_f_pointer(place, memory, [4])
    memory = rank + 5
    call MPI_Win_fence(0, win, code)
    call MPI_Win_shared_query(win, right, value, bytes, place, code)
    call c_f_pointer(place, memory, [4])
    call say('shared by pointer', memory(4) + 100 * bytes + 1000 * int(value))
    call MPI_Win_fence(0, win, code)
    call MPI_Win_free(win, code)
#endif
  end subroutine

  subroutine MPI_Sizeof_of_integer(bytes)
    integer, intent(out) :: bytes
    call MPI_Type_size(MPI_INTEGER, bytes, code)
  end subroutine

  subroutine files
    integer :: file, numbers(3), status(MPI_STATUS_SIZE), count, amode, etype, filetype
    character(20) :: representation
    integer(MPI_OFFSET_KIND) :: offset
    logical :: flag
    character(200) :: name
    call get_environment_variable('FILE_OF_TEST', name)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, code)
    offset = 12 * rank
    numbers = rank + [1, 2, 3]
    call MPI_File_write_at_all(file, offset, numbers, 3, MPI_INTEGER, status, code)
    call MPI_Get_count(status, MPI_INTEGER, count, code)
    call say('written', count)
    call MPI_File_set_view(file, 4_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, code)
    call MPI_File_get_view(file, offset, etype, filetype, representation, code)
    call say('view ['//representation//']', int(offset))
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, numbers, 2, MPI_INTEGER, MPI_STATUS_IGNORE, code)
    call say('read', numbers(1) + numbers(2))
    call MPI_File_get_amode(file, amode, code)
    call say_if('mode', iand(amode, MPI_MODE_RDWR) /= 0)
    call MPI_File_get_size(file, offset, code)
    call say('bytes', int(offset))
    call MPI_File_get_atomicity(file, flag, code)
    call say_if('atomic', flag)
    call MPI_File_close(file, code)
    call say_if('null', file == MPI_FILE_NULL)
    call MPI_Barrier(MPI_COMM_WORLD, code)
    if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, code)
  end subroutine

  subroutine of_mpi_1
    integer :: key, comm, value, copied
    logical :: flag
    copies = 0
    deletes = 0
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
    call MPI_Keyval_create(old_copy, old_delete, key, 3, code)
    call MPI_Attr_put(comm, key, -4, code)
    call MPI_Attr_get(comm, key, value, flag, code)
    call say('old value', value)
    call MPI_Comm_dup(comm, copied, code)
    call MPI_Attr_get(copied, key, value, flag, code)
    call say('old copy', value)
    call MPI_Comm_free(copied, code)
    call MPI_Attr_delete(comm, key, code)
    call say('old callbacks', copies + deletes)
    call MPI_Keyval_free(key, code)
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, code)
    call say_if('old tag ub', flag .and. value >= 32767)
    call MPI_Comm_free(comm, code)
#ifndef WITH_MODULE
    call removed
#endif
  end subroutine

#ifndef WITH_MODULE
  subroutine removed
    integer :: datatype, extent, first, second, numbers(2)
    call MPI_Type_hvector(2, 1, 8, MPI_INTEGER, datatype, code)
    call MPI_Type_extent(datatype, extent, code)
    call say('old extent', extent)
    call MPI_Address(numbers(1), first, code)
    call MPI_Address(numbers(2), second, code)
    call say('old difference', second - first)
    call MPI_Type_free(datatype, code)
    call MPI_Type_struct(2, [1, 1], [0, 8], [MPI_INTEGER, MPI_DOUBLE_PRECISION], datatype, code)
    call MPI_Type_extent(datatype, extent, code)
    call say('old struct', extent)
    call MPI_Type_free(datatype, code)
  end subroutine
#endif
end program
