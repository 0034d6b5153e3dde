// Statuses of anyccl as exceptions of torch.
#pragma once

#include <exception>
#include <string>

#include <anyccl/anyccl.h>

namespace anyccl_torch {

// Returns the exception for a status that is not ANYCCL_SUCCESS. An error of this rank alone becomes
// ValueError, NotImplementedError or RuntimeError in Python. Any other becomes DistBackendError.
std::exception_ptr to_exception(anyccl_status_t status, const std::string& what);

// Whether a call was refused on this rank before anything was sent. The communicator then still works.
bool was_refused(anyccl_status_t status);

// Why the last call of this thread has failed.
std::string reason();

// Message about the last failure in this thread: "anyccl, <action>: <reason>".
std::string sentence(const std::string& action);

// Throws unless the status is ANYCCL_SUCCESS.
void check(anyccl_status_t status, const std::string& action);

}  // namespace anyccl_torch
