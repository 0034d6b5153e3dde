# Prints what zsh offers for a line of input, one word per line behind "offered".
#
#     zsh completions.zsh FOLDER LINE
#
# FOLDER has the file _anyccl. zsh completes on a terminal alone, so one runs in a pseudo-terminal.
zmodload zsh/zpty
export FOLDER=$1
setup=$(mktemp)
cat >$setup <<'SETUP'
PROMPT=
fpath=($FOLDER $fpath)
autoload -Uz compinit && compinit -u -D
bindkey '^I' complete-word
# Ends after one completion.
comppostfuncs=(exit)
compadd() {
    local -a words
    # Calls that only fill variables offer nothing.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    builtin compadd -A words "$@"
    print -rl -- "" "offered "${^words}
    builtin compadd "$@"
}
print -r -- re""ady
SETUP
zpty inner zsh -f -i
zpty -w inner "source $setup"
while zpty -r inner said && [[ $said != *ready* ]]; do :; done
zpty -w -n inner "$2"$'\t'
while zpty -r inner said; do print -rn -- "$said"; done
rm $setup
