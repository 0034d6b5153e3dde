/* Does nothing: a program, or a library to be preloaded. */
int main(void)
{
    return 0;
}
