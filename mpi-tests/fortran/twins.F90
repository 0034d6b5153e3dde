! What anyccl's modules have beside the functions themselves: their twins, MPI_Sizeof, and in mpi_f08 the interfaces of
! callbacks.
module twin_callbacks
#ifdef WITH_F08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  procedure(MPI_User_function), pointer :: operator_of_program => larger
contains
  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) error stop "another datatype"
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = max(a, b)
  end subroutine
#else
  use mpi
  implicit none
#endif
end module

program twins
  use twin_callbacks
  implicit none
  integer :: rank, size, bytes, ierror, most(2)
  integer(8) :: long(3, 2)
  real(8) :: real_
  complex(4) :: complex_(5)
  character(7) :: text
  double precision :: start
#ifdef WITH_F08
  type(MPI_Op) :: op
  call PMPI_Init()
#else
  integer :: op
  call PMPI_INIT(ierror)
#endif
  start = PMPI_Wtime()
  call PMPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call PMPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  long = 0; real_ = 0; complex_ = 0; text = ""
  call MPI_Sizeof(rank, bytes, ierror)
  if (bytes /= 4 .or. ierror /= MPI_SUCCESS) error stop "integer"
  call MPI_Sizeof(long, bytes, ierror)
  if (bytes /= 8) error stop "integer(8)"
  call MPI_Sizeof(real_, bytes, ierror)
  if (bytes /= 8) error stop "real(8)"
  call MPI_Sizeof(complex_, bytes, ierror)
  if (bytes /= 8) error stop "complex(4)"
  call MPI_Sizeof(text, bytes, ierror)
  if (bytes /= 7) error stop "character"
  most = [rank, -rank]
#ifdef WITH_F08
  call MPI_Sizeof(.true., bytes)
  if (bytes /= 4) error stop "logical"
  call PMPI_Op_create(operator_of_program, .true., op)
  call PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INTEGER, op, MPI_COMM_WORLD)
  call PMPI_Op_free(op)
#else
  op = MPI_MAX
  call PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
#endif
  if (any(most /= [size - 1, 0])) error stop "all-reduce"
  if (PMPI_Wtime() < start) error stop "time"
  call PMPI_Finalize(ierror)
  print '(a)', "ok"
end program
