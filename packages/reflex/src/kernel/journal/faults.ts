import { defineFaults, type Fault } from './fault.ts'

/** The catalogue entries of the kernel: running (R2), permissions (R3), journal and store (R5), bugs (R9). */
export const faults = defineFaults({
  R2001: {
    title: 'A run has ended',
    verdict: 'fail',
    when: 'when a run receives a message',
    means: 'A run that completed, failed or was cancelled is final. No message can change it.',
    fix: 'Start a new run.',
  },
  R2002: {
    title: 'The question is not open',
    verdict: 'fail',
    when: 'when an answer or a message arrives',
    means: 'The wait was never opened, or it was closed before. The message names the record that closed it.',
    often: 'two people answered, a deadline passed, the address has a typing error',
    fix: 'List the open questions and answer one of those.',
  },
  R2003: {
    title: 'A run is stuck',
    verdict: 'bug',
    when: 'during a run',
    means: 'The run has not ended, but nothing is queued, in flight or awaited. The run fails instead of hanging.',
    often: 'a kind of program that forgot to return or to wait',
    fix: 'Report it with the journal of the run.',
  },
  R2004: {
    title: 'A value is not JSON',
    verdict: 'fail',
    when: 'during a run',
    means: 'A board, a record and a store contain only JSON. The write was refused; nothing of that step was stored.',
    often: 'an undefined item of a list, a Date, a class instance, NaN from a division',
    fix: 'Write strings, finite numbers, booleans, null, lists and plain objects.',
  },
  R2005: {
    title: 'A key is reserved for the runtime',
    verdict: 'fail',
    when: 'during a run',
    rules: ['tree E1003'],
    means: 'Only the runtime writes keys with the reserved prefix.',
    fix: 'Choose another key.',
  },
  R2006: {
    title: 'A key is not declared',
    verdict: 'fail',
    when: 'during a run',
    rules: ['tree E1001'],
    means: 'This kind of program writes only keys that have a schema.',
    fix: 'Declare the key with its schema.',
  },
  R2007: {
    title: 'A value does not match its schema',
    verdict: 'fail',
    when: 'during a run',
    rules: ['tree E1002'],
    means: 'The schema of the key refused the value. Nothing of that write was stored.',
    fix: 'Write a value that the schema allows, or change the schema.',
  },
  R2008: {
    title: 'The board is full',
    verdict: 'fail',
    when: 'during a run',
    rules: ['tree E1004'],
    means: 'The write would make the board larger than its limit. Live keys and values count, as JSON.',
    fix: 'Write less, delete what is not needed, or raise the limit.',
  },
  R2009: {
    title: 'The kind of program does not allow this',
    verdict: 'bug',
    when: 'during a run',
    means: 'A step used a feature that its kind has not enabled, such as deleting a key or opening a scope.',
    fix: 'Enable the feature in the definition of the kind.',
  },
  R2010: {
    title: 'A program is missing',
    verdict: 'fail',
    when: 'during a run',
    means: 'A program that the run calls is not registered and not stored with the run.',
    often: 'a sub-workflow in a folder that was not named, a program that was renamed',
    fix: 'Register it or name its folder with --programs, then resume.',
  },
  R2118: {
    title: 'A kind cannot compile a program',
    verdict: 'fail',
    when: 'when a program is registered',
    means:
      'The `compile` of the kind threw an error that is not a fault; the cause has it. The program is wrong in a way that its reader did not find, or the kind has a mistake.',
    fix: 'Correct the program; if it is right, correct `compile` of the kind.',
  },
  R2130: {
    title: 'The inbox of the run is full',
    verdict: 'wait',
    when: 'when a message is sent to a run',
    means:
      'The sender stated how many messages of the topic may wait, and as many wait already. The message was not stored, and none was lost.',
    often: 'a run that is set aside or waits for a person, a sender that is faster than the run',
    fix: 'Send it again later, state a higher limit, or have the limit drop what comes beyond it.',
  },
  R2131: {
    title: 'The size of a segment is not valid',
    verdict: 'bug',
    when: 'when a kind is registered',
    means: 'A kind for runs that may never end states how many records a segment of their journal has: a whole number from 1 on.',
    fix: 'Correct `endless` of the kind, or leave it out.',
  },
  R2011: {
    title: 'Unknown kind of program',
    verdict: 'fail',
    when: 'when a program is registered',
    means: 'No kind of this name is registered with the runtime.',
    fix: 'Register the kind, or correct the reference.',
  },
  R2012: {
    title: 'An effect failed',
    verdict: 'fail',
    when: 'during a run',
    means: 'The port threw or refused. Its error is the cause.',
    fix: 'Read the cause; the run continues as its program defines.',
  },
  R2107: {
    title: 'A port cannot be opened',
    verdict: 'retry',
    when: 'during a run',
    means:
      'The port holds a session, a process or a connection for the length of a run, and that could not be made; the cause says why. An effect of the port fails with this fault, and the next one tries again. If a program names the port, the run stops in this process before its next effect; its journal is intact.',
    often: 'a command that is not installed, a server that is down, a port that its host has not configured',
    fix: 'Correct the cause, then resume the run.',
  },
  R2108: {
    title: 'A port cannot be closed',
    verdict: 'fail',
    severity: 'warning',
    when: 'after a run has ended or was left',
    means: 'The port failed to close what it held for a run; the cause says why. The run is not affected.',
    fix: 'Close by hand what the cause names, such as a process or a session of another service.',
  },
  R2013: {
    title: 'An effect has no port',
    verdict: 'fail',
    when: 'during a run',
    means: 'The program requested an effect of a port that this runtime does not have.',
    fix: 'Give the runtime that port.',
  },
  R2014: {
    title: 'The run is busy',
    verdict: 'fail',
    when: 'when a run is controlled by hand',
    means: 'A step is in progress. A run accepts one command at a time, and an agent cannot control the run that called it.',
    fix: 'Await the step before the next command.',
  },
  R2015: {
    title: 'The outcome of an effect is unknown',
    verdict: 'wait',
    when: 'when a run is resumed',
    means: 'The process ended while the effect was in flight, and the effect must not be repeated without permission.',
    fix: 'Find out whether it happened, then answer: happened, repeat, or failed.',
  },
  R2016: {
    title: 'A name matches no run, or several',
    verdict: 'fail',
    when: 'when a run is named',
    means: 'Name a run by its id, by a unique prefix of it, or by `last`.',
    fix: 'List the runs and name one.',
  },
  R2017: {
    title: 'The run is closed in this process',
    verdict: 'fail',
    when: 'when a run receives a message',
    means: 'The run was released and can be opened again. Messages that it received since are not recorded.',
    fix: 'Open the run again, then send the message.',
  },
  R2018: {
    title: 'Calls of programs are nested too deeply',
    verdict: 'fail',
    when: 'during a run',
    means:
      'The call stack has 5,000 frames, or as many programs of one kind as that kind allows: 8 pipelines, unless the operator sets another limit. Programs of other kinds between them do not count. This limit stops an endless recursion before it uses all memory.',
    often: 'a program that calls itself on every path',
    fix: 'Add an end to the recursion.',
  },
  R2019: {
    title: 'A value is too large for a record',
    verdict: 'fail',
    when: 'when a run receives a value',
    means:
      'A result, an answer, a message or an argument is larger than 64 MB of JSON text. It was not recorded; a refused result fails its effect.',
    often: 'a tool that returns a whole file or table',
    fix: 'Store it in a file and record the name of the file, or use a part of it.',
  },
  R2021: {
    title: 'A run has no record of this number',
    verdict: 'fail',
    when: 'when a run is shown or forked',
    means:
      'Records are numbered from 1. Records of a run that continues in another process appear when they are durable. Nothing was done.',
    fix: 'Name a record that reflex trace prints.',
  },
  R2060: {
    title: 'A run cannot be forked inside an effect',
    verdict: 'fail',
    when: 'when a run is forked',
    means:
      'At this record an effect was in flight that leaves this machine or must not be repeated. Its outcome is known for the run but not for a fork, which would have to perform it again. Nothing was created.',
    fix: 'Fork at one of the records that the message names, before the effect or after it.',
  },
  R2061: {
    title: 'A run cannot be forked after its end',
    verdict: 'fail',
    when: 'when a run is forked',
    means: 'After the last record of an ended run there is nothing left to do, so a fork would do nothing either. Nothing was created.',
    fix: 'Fork at an earlier record; the message names the last possible one.',
  },
  R2132: {
    title: 'The record is in the run that this one was forked from',
    verdict: 'fail',
    when: 'when a run is forked',
    means:
      'The run was forked from a run that never ends, so it begins with the state at a seal of that run and not with its first record. The earlier records are only in that run, under the same numbers. Nothing was created.',
    fix: 'Fork that run at the record; the message has the command.',
  },
  R2063: {
    title: 'No decision is open at this record',
    verdict: 'fail',
    when: 'when a run is forked',
    means:
      'At this record no decision and no question is open, or several are open and none was named. A decision is open from the record that enters its node to the record that leaves it. Nothing was created.',
    often: 'the record that applied the decision: the decision is open one record earlier',
    fix: 'Use a record that the message names; if there are several decisions, name one as PLACE=EDGE.',
  },
  R2064: {
    title: 'An edge is not open',
    verdict: 'fail',
    when: 'when a run is forked',
    means:
      'A fork can only decide like an agent: for an edge of the node whose guard passes on the board of that record. Nothing was created.',
    fix: 'Name an open edge, as listed by reflex show RUN@N, or change the board with --set.',
  },
  R3020: {
    title: 'The budget is spent, and a person stopped the run',
    verdict: 'fail',
    when: 'during a run',
    means:
      'The run had used its budget. The person who was asked did not raise it, so the next effect was not performed, and nothing more was spent.',
    fix: 'Continue with a higher budget: reflex resume RUN --budget usd=2. Or end the run: reflex cancel RUN.',
  },
  R3021: {
    title: 'A program has reached a limit that it states',
    verdict: 'fail',
    when: 'during a run',
    means:
      'A program on the stack states a limit, such as max_total_tokens or max_cost of a pipeline. The program, its branches and the programs that it called have reached it. The next effect was not performed, or the next node was not entered, and nothing more was spent. The program gets a failure and can take another edge.',
    often: 'a limit that was meant for one node, a loop that asks a model in every round',
    fix: 'Raise the limit in the program, or add an edge for the failure.',
  },
  R2109: {
    title: 'A call has used what its caller allows',
    verdict: 'fail',
    when: 'during a run',
    means:
      'A program calls another one, or spawns a strand, with limits: tokens, money, calls, time, steps. One of them is used up, by the callee or by what it called. The effect that was next was not performed, or the node that was next was not entered; the message names the caller. The callee sees a failure, and the caller sees the callee fail.',
    often: 'a limit that is lower than what the callee needs, a loop in the callee',
    fix: 'Raise the limit where the caller states it, or let the callee do less.',
  },
  R3001: {
    title: 'The policy does not allow this',
    verdict: 'fail',
    when: 'before an effect',
    rules: ['pipeline capability_check'],
    means: 'The effect needs a capability that is not granted to this run. Nothing was performed.',
    fix: 'Grant the capability with --policy FILE, or run with more trust.',
  },
  R2066: {
    title: 'A program needs contents that the run does not keep',
    verdict: 'fail',
    when: 'during a run',
    means:
      'The run keeps hashes in place of texts and values, so every program in it must say which parts of its records are no contents. This kind of program does not, so it was not called.',
    often: 'a skill with `logContent: "none"`, one step of which calls a workflow, a pipeline or a tree',
    fix: 'Keep contents in such runs, or do the work of the program with tools.',
  },
  R2067: {
    title: 'A run without contents cannot continue',
    verdict: 'fail',
    when: 'when a run is resumed or forked',
    means:
      'Its records have hashes in place of texts and values, as its host has chosen, and the contents were in the memory of the process that ran it. Its decisions can be replayed; nothing can be continued from them. A resume ends the run with this error.',
    often: 'a process that ended in the middle of a turn with `logContent: "none"`',
    fix: 'Look at it with `reflex trace` and `reflex replay`, and begin a new run.',
  },
  R5001: {
    title: 'Another process owns the run',
    verdict: 'wait',
    when: 'when a run is opened',
    means: 'Only one process at a time advances a run. The message names the owner; answers reach it through the inbox.',
    fix: 'Wait for the owner to finish, or stop it.',
  },
  R5002: {
    title: 'The run was taken over',
    verdict: 'wait',
    when: 'during a run',
    means:
      'This process lost its lease while it was stopped, and another process continues the run. Nothing that it did since was written or sent.',
    fix: 'Nothing: the other process continues the run.',
  },
  R5003: {
    title: 'The journal is damaged',
    verdict: 'fail',
    when: 'when a run is opened',
    means: 'A record is missing, is not readable, or cannot follow the records before it. The run was left unchanged.',
    fix: 'Restore the store from a copy.',
  },
  R5004: {
    title: 'The journal was written by a newer release',
    verdict: 'fail',
    when: 'when a run is opened',
    means: 'The format of the records, or the revision of a kind, is newer than this release supports. The run was left unchanged.',
    fix: 'Open it with the release that wrote it, or a newer one.',
  },
  R5005: {
    title: 'The store cannot be written',
    verdict: 'fail',
    when: 'during a run',
    means: 'The store refused a batch of records. The run stopped there; the earlier records are intact and the run can be resumed.',
    often: 'a full disk, a read-only folder, an unavailable database',
    fix: 'Free some space or repair the store, then resume.',
  },
  R5006: {
    title: 'A program of the run is not in the store',
    verdict: 'fail',
    when: 'when a run is opened',
    means: 'A run continues with the programs that it was started with, and one of them is missing.',
    fix: 'Restore the store from a copy.',
  },
  R5007: {
    title: 'The run id is taken',
    verdict: 'fail',
    when: 'when a run is started',
    means: 'The store already has a run with this id.',
    fix: 'Choose another id, or omit the id.',
  },
  R5008: {
    title: 'A program cannot be stored',
    verdict: 'fail',
    when: 'when a run is started',
    means: 'A durable store stores programs as data. A function in a program needs a name and a version, so that it can be found again.',
    fix: 'Name the function and give it a version.',
  },
  R5009: {
    title: 'There is no store',
    verdict: 'fail',
    when: 'when a run is opened',
    means: 'This runtime has its journals only in memory, so nothing can be resumed or looked up.',
    fix: 'Give the runtime a store.',
  },
  R5010: {
    title: 'The run never started',
    verdict: 'fail',
    when: 'when a run is opened',
    means: 'The process that started it ended before its first record was durable. Nothing of it was performed or shown.',
    fix: 'Start the same program again under the same id.',
  },
  R5011: {
    title: 'The run was started by an older release',
    verdict: 'fail',
    when: 'when a run is resumed, replayed or forked',
    means:
      'The steps of this kind have changed since, so the journal cannot be continued. It is intact: runs, show, trace, why and export read it.',
    fix: 'Start the program again, or continue the run with the release that started it.',
  },
  R5012: {
    title: 'The lease cannot be confirmed',
    verdict: 'wait',
    when: 'during a run',
    means:
      'A process keeps its runs by a heartbeat in the store, and the store does not confirm it. With less than a quarter of the lease left, no effect starts until the store has confirmed that the process still owns the run. An effect that waited for a whole lease was not performed; its run stopped there and is intact.',
    often: 'a network or a proxy that does not respond, a server that is down, a machine in sleep mode',
    fix: 'Wait until the store answers, then resume. A longer --lease bridges longer gaps.',
  },
  R5013: {
    title: 'A message to the run is damaged',
    verdict: 'fail',
    severity: 'warning',
    when: 'during a run',
    means:
      'A message in the inbox of the run differs from what was written. It was ignored: a record names it, nothing of its content reaches the run, and the run continues. An answer in it must be given again.',
    often: 'a failing disk, an edited file',
    fix: 'Send it again: reflex answer, reflex signal or reflex cancel. Check the disk.',
  },
  R5055: {
    title: 'The entry cannot be appended',
    verdict: 'fail',
    when: 'when entries are appended to a ledger',
    means: 'The name, the key, the condition or the list of entries is not one that a ledger takes. Nothing was appended.',
    often: 'an empty or very long name, a name that occurs twice in one append, a condition without a name',
    fix: 'Correct the entry: a name is a text of 1 to 500 characters, and each name occurs once in an append.',
  },
  R5056: {
    title: 'The entries were removed from the ledger',
    verdict: 'fail',
    when: 'when a ledger is read after an entry',
    means:
      'A compaction has removed entries after this number that a reader cannot do without: entries without a name, or deletions of names. The current value of each name is still there.',
    often: 'a reader that continues after a long time, a reader that begins with the first entry of a compacted ledger',
    fix: 'Read the latest entries of all names, and continue after the number that comes with them.',
  },
  R5085: {
    title: 'The bound of a compaction is not valid',
    verdict: 'fail',
    when: 'when a ledger is compacted',
    means:
      'A compaction needs one bound: a time in milliseconds since the epoch, or the number of an entry. Another bound would remove nothing, or not what was meant, so nothing was removed.',
    often: 'a misspelled name, a time that was not a number, a time in the form of a text or a date',
    fix: 'Write `{ before: MILLISECONDS }` to remove replaced entries up to a time, or `{ through: NUMBER }` to remove all but current values up to an entry.',
  },
  R5014: {
    title: 'A function of the host has another version',
    verdict: 'fail',
    when: 'when a run is resumed, replayed or forked',
    means:
      'Programs can call functions of their host inside a step, such as custom guards of workflows. A run pins the versions with which it was started. This process has other versions, or does not have the function, so it could decide differently. Nothing was performed, and the run is intact: runs, show, trace and export read it.',
    often: 'a host that was updated while the run waited, a function that was renamed',
    fix: 'Register the version that the message names, beside the new one if new runs need that; or start the program again.',
  },
  R9001: {
    title: 'A bug of Reflex',
    verdict: 'bug',
    when: 'at any time',
    means: 'A step threw an unexpected error. The run failed with its journal intact.',
    fix: 'Report it with the journal of the run.',
  },
})

/** Makes `R2021`: the run has no record of this number. */
export function noRecord(run: string, last: number, wanted: number): Fault {
  return faults.make('R2021', `${run} has records 1 to ${last}, not ${wanted}`, { run, fix: `reflex trace ${run}` })
}

/** Makes the fault of a run whose records have hashes in place of contents. */
export function noContents(run: string, what: 'resumed' | 'forked'): Fault {
  return faults.make('R2067', `${run} keeps no contents, so it cannot be ${what}`, { run, fix: `reflex replay ${run}` })
}
