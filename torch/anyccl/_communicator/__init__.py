"""The parts of `anyccl.Communicator`, each a class that adds to the one before.

    waiting      how a call waits, and hears Ctrl-C meanwhile
    core         the handle, and what is under way
    collectives  buffers with blocks of one length
    unequal      buffers with blocks of different lengths
    messages     Send, Recv and their relatives
    arrivals     receives of objects, whose length is not known
    objects      lower case: whatever can be pickled
    operator     what combines elements, and objects
    request      started operations, as the program holds them
    status       what is known of a message
    starting     settings, stores, ids
"""
