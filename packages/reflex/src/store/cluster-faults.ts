import { defineFaults } from '../kernel/index.ts'

/** The faults of a cluster. They are here and not in its package, so that `reflex explain` knows them without it. */
export const clusterFaults = defineFaults({
  R5101: {
    title: 'The cluster cannot use its database',
    verdict: 'retry',
    when: 'in a process of a cluster',
    means: 'Postgres refused a statement of the cluster, or did not answer. No turn was lost: what is due stays due.',
    often: 'a server that restarts, a user without the permission to create a schema or a trigger, a full disk',
    fix: 'Read the cause. Workers try again by themselves.',
  },
  R5102: {
    title: 'The schema cannot be that of a cluster',
    verdict: 'fail',
    when: 'when a cluster is opened',
    means: 'The schema NAME_cluster next to that of the store contains other tables, or its name would be too long.',
    fix: 'Name another schema for the store with ?schema=NAME.',
  },
  R5103: {
    title: 'The cluster is newer than this release',
    verdict: 'fail',
    when: 'when a cluster is opened',
    means: 'A newer release of Reflex has changed the tables of the cluster. This process joined nothing and changed nothing.',
    fix: 'Use the release that changed it, or a later one.',
  },
  R5104: {
    title: 'This process is a worker already',
    verdict: 'fail',
    when: 'when a process joins a cluster',
    means: 'The engine of the cluster exists once in a process.',
    fix: 'Start another process.',
  },
  R5105: {
    title: 'The clock of this machine is wrong',
    verdict: 'fail',
    when: 'when a process joins a cluster',
    means: 'The clock differs from that of the database by more than a quarter of a lease, so due times and leases would be wrong.',
    fix: 'Set the clock of this machine, for example by NTP.',
  },
  R5106: {
    title: 'The queue does not exist',
    verdict: 'fail',
    when: 'when a run starts in a queue of a cluster, a schedule names it, a worker joins for it, or it is paused',
    means: 'No operator has created a queue of this name. The run was not started, the schedule not added, or the worker has not joined.',
    often: 'a misspelt name',
    fix: 'Correct the name, or create the queue: reflex queue set NAME.',
  },
  R5107: {
    title: 'The engine of the cluster reports trouble',
    verdict: 'wait',
    when: 'in a worker of a cluster',
    means: 'DBOS has reported something that it deals with by itself.',
    fix: 'Read the message. Nothing has to be done unless it comes again and again.',
  },
  R5108: {
    title: 'A run ends its workers',
    verdict: 'wait',
    when: 'in a cluster',
    means: 'Ten workers in a row died in the turn of this run, and it made no progress. The cluster leaves it alone.',
    often: 'a run that needs more memory than a worker has',
    fix: 'Find out why with reflex resume RUN on one machine. The cluster tries again after the next input of the run.',
  },
  R5109: {
    title: 'The turns of a run do nothing',
    verdict: 'wait',
    when: 'in a cluster',
    means: 'The run is due, but ten turns in a row added no record. The cluster leaves it alone.',
    fix: 'Find out why with reflex resume RUN. The cluster tries again after the next input of the run.',
  },
  R5110: {
    title: 'The place of a run or the settings of a queue are not valid',
    verdict: 'fail',
    when: 'before a run, and when a queue is created, changed or removed',
    means:
      'The names of queues, tenants and words of a worker have 1 to 64 letters, digits, dots, hyphens and underscores; a queue that limits calls is model:PROVIDER or tool:NAME. A run needs at most 64 words. A priority is a whole number from 0 to 1,000,000; a lower one goes first. Slots are whole numbers from 1, a share is above 0 and at most 1, a rate is N/DURATION. A run cannot start in a queue of calls. The queue default cannot be removed, nor one with runs that have not ended. Nothing was done.',
    fix: 'Correct the value that the message names.',
  },
  R5111: {
    title: 'The secrets of workers differ',
    verdict: 'wait',
    when: 'when a process joins a cluster, and in reflex doctor',
    means:
      'Workers of one cluster have different files ~/.reflex/secret. A run that moves from one to the other continues with less trust, because a worker cannot check what another secret has sealed. The database stores a fingerprint of the secret of each worker, not the secret.',
    often: 'a new machine or container without the file, which is then created with another secret',
    fix: 'Copy ~/.reflex/secret from one machine to all the others, readable by its user only, and restart their workers.',
  },
  R5112: {
    title: 'A worker does not end',
    verdict: 'fail',
    when: 'when a worker of a cluster leaves, half a minute after its grace',
    means:
      'A worker was told to end, and a run that it has, or the dispatcher in its process, has not ended. Its effects are aborted. The other workers take its turns over when it has been silent for a lease.',
    fix: 'End the process. Then read with reflex show RUN what the run that the message names was doing.',
  },
})
