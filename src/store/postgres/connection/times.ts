/** How long a connection is waited for, whether it is busy or must be made, in ms. */
export const acquireMs = 2000
/** How long the server may take for a statement, and wait for a lock in it, in ms. */
export const statementMs = 2000
/** How long an answer is waited for, in ms. Longer than the server may take, so that it is the server that gives up. */
export const answerMs = 3000
/** How long a statement may wait for its turn among those of all processes, in ms, before the time that it may take. */
export const turnMs = 10_000
