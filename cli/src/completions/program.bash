
# Completes the program of `anyccl run` and its arguments, and leaves the rest to the function above.
_anyccl_or_program() {
    local at=2
    [[ ${COMP_WORDS[1]} == run ]] || { _anyccl "$@"; return; }
    # The program is the first word that is neither an option nor the value of one.
    while (( at < COMP_CWORD )); do
        case ${COMP_WORDS[at]} in
            --) (( at++ )); break ;;
            @OPTIONS@) [[ ${COMP_WORDS[at + 1]} == = ]] && (( at++ )) || (( at += 2 )) ;;
            # bash makes three words of --bind=none, of A=B and of host:2.
            [=:]*) (( at += 2 )) ;;
            -*) (( at++ )) ;;
            *) break ;;
        esac
    done
    if (( at > COMP_CWORD )) || [[ $at -eq $COMP_CWORD && $2 == -* ]]; then
        _anyccl "$@"
    elif (( at == COMP_CWORD )); then
        mapfile -t COMPREPLY < <(compgen -c -f -- "$2" | sort -u)
        compopt -o filenames 2>/dev/null
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$at"
    else
        COMPREPLY=()
    fi
}
complete -F _anyccl_or_program -o bashdefault -o default anyccl
