/* A program or a library to preload that does nothing. */
int main(void)
{
    return 0;
}
