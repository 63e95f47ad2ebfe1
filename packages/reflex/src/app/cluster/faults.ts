import { defineFaults } from '../../kernel/index.ts'

/** Faults of spreading runs over several machines, as far as the runtime finds them. Those of the package are R5101 to R5139. */
export const memberFaults = defineFaults({
  R5140: {
    title: 'The package for clusters is missing',
    verdict: 'fail',
    when: 'before a run',
    means:
      'Runs are spread over several machines by the package `reflex-runtime-cluster`, which Reflex loads only where a cluster is wanted. It is not installed beside Reflex, or it cannot be loaded.',
    fix: 'npm install reflex-runtime-cluster',
  },
  R5141: {
    title: 'A cluster needs a store in Postgres',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The workers of a cluster meet in the Postgres that has the journals, and need its address. This store is a file, is in memory, or was given as an object.',
    often: 'REFLEX_STORE is not set in this shell',
    fix: 'export REFLEX_STORE=postgres://USER@HOST/DATABASE',
  },
  R5142: {
    title: 'An option has no effect without a cluster',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A queue, a tenant, a priority and needs (--queue, --tenant, --priority, --needs, and --has of a worker) say when, and by which worker, a run of a cluster is carried on. This process carries its runs on itself, without a cluster. Nothing was done.',
    fix: 'Add --cluster, or leave the option out. In an application: new Reflex({ store, cluster: true }).',
  },
  R5144: {
    title: 'The worker lacks what the run needs',
    verdict: 'wait',
    when: 'when a run is opened',
    means:
      'A program of the run is of a kind or a revision that this process does not run, or names a tool, a model, a function or another part of a host that it does not have. Nothing was opened or recorded. In a cluster another worker takes the run; `reflex doctor` lists a run that nobody can take.',
    often: 'a tool or a function that only an application has, or a worker of an older version',
    fix: 'Start an application that gives it, new Reflex({ tools, cluster: true }), and calls reflex.work(). A module of tools may come with the run: reflex run PROGRAM --cluster --tools FILE.',
  },
})
