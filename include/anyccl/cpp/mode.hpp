// Whether calls throw or return a result. anyccl.hpp includes this file first, and undefines its macros at
// the end.
#ifndef ANYCCL_CPP_MODE_HPP
#define ANYCCL_CPP_MODE_HPP

// The two modes have different types with the same names, and each has an inline namespace of its own. So a
// program may have files of both, and the linker keeps their code apart.
#if !defined(ANYCCL_NO_EXCEPTIONS) && defined(__cpp_exceptions)
#define ANYCCL_CPP_THROWS 1
#define ANYCCL_CPP_MODE throwing
#else
#define ANYCCL_CPP_THROWS 0
#define ANYCCL_CPP_MODE answering
#endif

#endif
