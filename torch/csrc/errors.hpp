// Statuses of anyccl as exceptions of torch.
#pragma once

#include <exception>
#include <string>

#include <anyccl/anyccl.h>

namespace anyccl_torch {

// The exception for a status that is not ANYCCL_SUCCESS. What this rank alone did wrong becomes ValueError,
// NotImplementedError or RuntimeError in Python; what went wrong between ranks becomes DistBackendError.
std::exception_ptr to_exception(anyccl_status_t status, const std::string& what);

// Whether a call was refused on this rank before anything was sent: then the communicator works on.
bool was_refused(anyccl_status_t status);

// The sentence about the last failure in this thread, behind the name of what was done.
std::string sentence(const std::string& action);

// Throws unless the status is ANYCCL_SUCCESS.
void check(anyccl_status_t status, const std::string& action);

}  // namespace anyccl_torch
