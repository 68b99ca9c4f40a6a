/* Uses a library that cucpu has, one that nobody has, and a function that cucpu's has not. */
int cuInit(unsigned);
int cuNobodyHasThis(void);
int nobody(void);
int main(int argc, char **argv) { return argc > 9 ? cuNobodyHasThis() + nobody() : cuInit(0) + (argc > 1 ? argv[1][0] - '0' : 0); }
