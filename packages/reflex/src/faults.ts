import { defineFaults } from './kernel/index.ts'

/** Finding and loading programs, and naming runs. */
export const faults = defineFaults({
  R1020: {
    title: 'The kind of a file is not known',
    verdict: 'fail',
    when: 'before a run',
    means: 'The name of a file tells its kind, such as release.workflow.json; this one tells none.',
    fix: 'Rename the file, or name the kind with --kind.',
  },
  R1021: {
    title: 'There is no such program',
    verdict: 'fail',
    when: 'before a run',
    means: 'The path leads to no file, or to a folder without a program.',
    fix: 'Name a program file, or a folder that holds one.',
  },
  R1022: {
    title: 'A folder holds several programs',
    verdict: 'fail',
    when: 'before a run',
    means: 'A folder stands for the one program in it that no other program of the folder calls; here there is more than one, or none.',
    fix: 'Name the file.',
  },
  R1023: {
    title: 'A module exports no program',
    verdict: 'fail',
    when: 'before a run',
    means: 'A program written in TypeScript is the one export of its file that has the shape of a program.',
    fix: 'Export exactly one program.',
  },
  R1024: {
    title: 'A file cannot be read',
    verdict: 'fail',
    when: 'before a run',
    means: 'The file is there and the system did not let it be read, or it is too large.',
    fix: 'Look at its rights and its size.',
  },
  R2020: {
    title: 'A question is not named',
    verdict: 'fail',
    when: 'when a question is answered',
    means: 'Without a name, an answer goes to the one open question of a run; this run has several, or none.',
    fix: 'Name the question, as RUN/q1.',
  },
  R2021: {
    title: 'A record number is out of range',
    verdict: 'fail',
    when: 'when a run is looked at',
    means: 'The journal has no record of this number.',
    fix: 'Look at the trace of the run for its numbers.',
  },
})
