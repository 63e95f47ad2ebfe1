import { defineFaults } from '../kernel/index.ts'

/** The faults of finding and reading program files. */
export const programFaults = defineFaults({
  R1020: {
    title: 'The kind of a file is unknown',
    verdict: 'fail',
    when: 'before a run',
    means: 'A file name shows the kind of its program, such as release.workflow.json. This file name shows no kind.',
    fix: 'Rename the file, or name the kind with --kind.',
  },
  R1021: {
    title: 'There is no such program',
    verdict: 'fail',
    when: 'before a run',
    means: 'There is no file at this path, or the folder has no program.',
    fix: 'Name a program file, or a folder that holds one.',
  },
  R1022: {
    title: 'A folder holds several programs',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The path of a folder means the one program in the folder that no other program of it calls. This folder has several such programs, or none.',
    fix: 'Name the file.',
  },
  R1023: {
    title: 'A module exports no program',
    verdict: 'fail',
    when: 'before a run',
    means: 'A TypeScript file must have exactly one export that has the shape of a program.',
    fix: 'Export exactly one program.',
  },
  R1024: {
    title: 'A file cannot be read',
    verdict: 'fail',
    when: 'before a run',
    means: 'The file exists, but the system refused to read it, or it is too large.',
    fix: 'Check the permissions and the size of the file.',
  },
  R1096: {
    title: 'A run wrote the program',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means:
      "A run wrote this file from a model's text, or from text that came from outside, and nobody has changed it since. No person has approved the file, so it runs with the trust of an untrusted program, even if a trusted program calls it.",
    often: 'a stage that writes programs, a command that fetched or generated one',
    fix: 'Read the file. Then set its trust with `reflex run FILE --trust probationary`, or change the file: a file that you changed counts as yours.',
  },
  R1097: {
    title: 'A run wrote a file that would run with your permissions',
    verdict: 'fail',
    when: 'before a run',
    means:
      "A run wrote this file from a model's text, or from text that came from outside, and nobody has changed it since. A module runs on this machine without a sandbox as soon as it is loaded, and a policy file grants permissions, so such a file is not loaded.",
    often: 'a stage that writes modules of programs or tools',
    fix: 'Read the file. Then pass `--trust trusted` for a program, or change the file: a file that you changed counts as yours.',
  },
  R2119: {
    title: 'The reader of a kind throws',
    verdict: 'bug',
    when: 'before a run',
    means:
      'The reader of a kind returns what is wrong with a file as findings. This one threw something that is not a fault, which is a mistake in the kind.',
    fix: 'Correct `read` of the kind: return findings for a wrong text.',
  },
  R2125: {
    title: 'A kind cannot be loaded',
    verdict: 'fail',
    when: 'when a program or a run of the kind is first met',
    means: 'The `load` of the kind rejected, so none of its programs can be read or run. Programs of other kinds are not concerned.',
    often: 'a module of the kind that is not installed',
    fix: 'Correct `load` of the kind, or leave the kind out of `kinds`.',
  },
  R2045: {
    title: 'An input does not fit the board',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The program has a schema for this key of its board, and the input does not fit it; or a program that declares all keys does not have this one. The run was not started.',
    often: 'a text instead of a number, a misspelt field',
    fix: 'Pass a value that the schema of the key allows; `k:=JSON` passes a number or an object.',
  },
})
