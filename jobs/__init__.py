"""Commands, jobs and their execution: the only package that knows time, Ray and writing."""
