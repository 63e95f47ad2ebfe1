/** The meaning of a mark; its colour repeats it (experience 1.2). */
export type Mark = 'done' | 'failed' | 'running' | 'open' | 'skipped' | 'waits' | 'asks' | 'warns' | 'into' | 'out' | 'decided' | 'note'
