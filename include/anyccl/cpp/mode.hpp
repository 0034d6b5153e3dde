// Whether calls throw or return a result. anyccl.hpp includes this file first, and undefines its macros at
// the end.
#ifndef ANYCCL_CPP_MODE_HPP
#define ANYCCL_CPP_MODE_HPP

// The two modes have different types by the same names. Each lives in an inline namespace of its own, so that
// a program may have files of both, and the linker never takes the code of one for that of the other.
#if !defined(ANYCCL_NO_EXCEPTIONS) && defined(__cpp_exceptions)
#define ANYCCL_CPP_THROWS 1
#define ANYCCL_CPP_MODE throwing
#else
#define ANYCCL_CPP_THROWS 0
#define ANYCCL_CPP_MODE answering
#endif

#endif
