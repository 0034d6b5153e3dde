"""The parts of `anyccl.Communicator`, and what they use.

The classes of core, collectives, unequal, messages and objects derive from each other, in this order.

    core         the handle, and the operations that are under way
    collectives  collectives of buffers with blocks of one length
    unequal      collectives of buffers with blocks of different lengths
    messages     Send, Recv and their relatives
    objects      methods in lower case, for any object that can be pickled

    waiting      waits that Ctrl-C can interrupt
    arrivals     receives of objects, whose length is not known in advance
    operator     reduction operators, for elements and for objects
    request      started operations, as the program holds them
    status       what is known of a message
    starting     settings, stores and ids of new communicators
"""
