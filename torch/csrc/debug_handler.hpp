// What torch's debug server shows of the groups of this process: the handler "anyccl_groups".
#pragma once

namespace anyccl_torch {

class AnycclBackend;

// A backend is in the list from its construction to its destruction.
void list_for_debugging(const AnycclBackend* backend);
void unlist_for_debugging(const AnycclBackend* backend);

// Registers the handler, where torch has such handlers.
void register_debug_handler();

}  // namespace anyccl_torch
