import { defineFaults } from '../kernel/index.ts'

/** Faults of finding and loading programs, and of naming runs. */
export const faults = defineFaults({
  R1026: {
    title: 'A module has no tools',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The file that --tools names is imported, and programs can call the tools that it exports. This file cannot be imported, or it exports no tool.',
    fix: "Export what `defineTool` of 'reflex-runtime/tools' returns, alone or in a list.",
  },
  R1025: {
    title: 'The settings of a folder cannot be read',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means:
      'A reflex.config.json has default settings for the programs beside it. This file is not JSON, or has unknown settings. The whole file is ignored, even if it lowers trust: a run may have written the file, and a run must not be able to stop later commands.',
    often: 'a misspelt name, a file that a run wrote',
    fix: 'Correct the file, or remove it.',
  },
  R2020: {
    title: 'A question is not named',
    verdict: 'fail',
    when: 'when a question is answered',
    means:
      'An answer without the name of a question goes to the only open question of the run. This run has several open questions, or none.',
    fix: 'Name the question, as RUN/q1.',
  },
  R2030: {
    title: 'There is no such command',
    verdict: 'fail',
    when: 'before a run',
    means: 'The first word after `reflex` must be a command. Nothing was done.',
    fix: 'Run `reflex --help` to list the commands.',
  },
  R2031: {
    title: 'A command has a missing, unknown or invalid argument',
    verdict: 'fail',
    when: 'before a run',
    means: 'An argument or an option is missing, is unknown to this command, or has an invalid value. Nothing was done.',
    fix: 'Run the command with --help.',
  },
  R2032: {
    title: 'A value cannot be read',
    verdict: 'fail',
    when: 'before a run',
    means: 'Inputs and answers are text, JSON or files: k=text, k:=JSON, k=@file, @file.json. Nothing was done.',
    often: 'JSON whose quotes the shell removed',
    fix: 'Put the whole argument in single quotes.',
  },
  R2033: {
    title: 'There is no such code',
    verdict: 'fail',
    when: 'at any time',
    means: 'The catalogue has the codes of Reflex, such as R1042, and those of the specifications of kinds, such as INVALID_EDGE.',
    fix: 'Write a code as a message prints it.',
  },
  R2034: {
    title: 'A folder cannot grant itself permissions',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means:
      'A reflex.config.json lies beside programs and may have come with them, so it can lower trust but cannot raise it, and it cannot choose the place to which data is sent. Settings that exceed this are ignored.',
    fix: 'Set it yourself, with a flag or in the environment.',
  },
  R2035: {
    title: 'A program is too large to be drawn',
    verdict: 'fail',
    when: 'at any time',
    means:
      'Laying out more than 400 nodes, or edges that go over more than 1,500 layers in all, takes long, and the picture would be unreadable. A terminal shows a list of the nodes instead.',
    fix: 'Leave out --svg, or draw the programs that it calls one by one.',
  },
  R2036: {
    title: 'Programs of this kind cannot be drawn',
    verdict: 'fail',
    when: 'at any time',
    means: 'The kind of this program returns no graph to draw.',
    fix: 'Read the source of the program.',
  },
  R2037: {
    title: 'There is no such schema',
    verdict: 'fail',
    when: 'at any time',
    means: 'A schema has the name of a kind or of another file that Reflex reads; `output` is the schema of the output of --json.',
    fix: 'Run `reflex schema` to list the schemas.',
  },
  R2038: {
    title: 'The place is not empty',
    verdict: 'fail',
    when: 'before a run',
    means: 'A starter never overwrites existing files. Nothing was done.',
    fix: 'Name another folder, or move the existing files.',
  },
  R2115: {
    title: 'Two kinds have the same name, ending or flag',
    verdict: 'fail',
    when: 'when `Reflex` is made',
    means:
      'Each kind of program has its own name, its own endings of file names and its own flags of the command. Two kinds of the list share one of these, so it is ambiguous.',
    often: 'a kind that is listed twice',
    fix: 'Leave one of the two out of `kinds`, or change what they share.',
  },
  R2116: {
    title: 'A kind lacks a port',
    verdict: 'fail',
    when: 'when `Reflex` is made',
    means: 'The steps of the kind ask for effects through a port that Reflex does not have. Its programs would fail at that effect.',
    often: 'a port of the kind itself that is listed in `uses`',
    fix: 'Remove the port from `uses`. If it is a port of the kind itself, return it from `make`.',
  },
  R2117: {
    title: 'A kind cannot be made',
    verdict: 'fail',
    when: 'when `Reflex` is made, or when a program or a run of the kind is first met',
    means: 'The `make` of the kind threw, so none of its programs can run.',
    fix: 'Correct the kind, or leave it out of `kinds`.',
  },
  R2126: {
    title: 'A kind is not the one that its module names',
    verdict: 'fail',
    when: 'when `Reflex` is made, or when a program or a run of the kind is first met',
    means: 'The `make` of a module returned a kind of another name, so runs could not be pinned to it.',
    fix: 'Give the kind and its module the same name.',
  },
  R2127: {
    title: 'Two kinds bring a port of the same name',
    verdict: 'fail',
    when: 'when `Reflex` is made, or when a program or a run of the kind is first met',
    means: 'The steps of all kinds ask for ports by name, so each name has one port.',
    fix: 'Rename the port of one of the kinds.',
  },
  R5040: {
    title: 'The system refused to read or write a file',
    verdict: 'fail',
    when: 'at any time',
    means: 'A file or a folder that Reflex needs cannot be read, created or written. All earlier records are intact.',
    often: 'a full disk, a read-only folder',
    fix: 'Free disk space or grant the permission, then repeat the command.',
  },
  R5041: {
    title: 'A replay decides differently',
    verdict: 'fail',
    when: 'when a run is replayed or checked',
    means:
      'The program and the recorded inputs produce a record that differs from the record in the journal. Earlier records are equal. The run itself is unchanged: it continues with its own program.',
    often:
      'the run is replayed with a changed program; another tool wrote the journal; a release of Reflex behaves differently, which is a bug of Reflex',
    fix: 'Compare the two records at their place in the program. The changed program is safe for new runs and for runs that have not reached this record.',
  },
  R5042: {
    title: 'The store has a state that differs from its records',
    verdict: 'fail',
    when: 'when a run is replayed',
    means:
      'The snapshots of a run and its row in lists are derived from its records. Here one of them differs from the records. The records are right; a resume would begin with the wrong snapshot.',
    often: 'another tool changed the store',
    fix: 'Restore the store from a backup.',
  },
  R5043: {
    title: 'The run does not use this program',
    verdict: 'fail',
    when: 'when a run is replayed on a changed program',
    means: 'A changed program replaces the program that has the same kind and id. This run has no program of that kind and id.',
    often: 'the id was changed together with the program, a wrong file',
    fix: 'Name a file whose program the run uses; reflex trace names them.',
  },
  R5044: {
    title: 'Two files have the same program',
    verdict: 'fail',
    when: 'when runs are checked',
    means: 'Both files would replace the same program.',
    fix: 'Name one of the two.',
  },
  R5050: {
    title: 'The folder of a removed run cannot be removed',
    verdict: 'fail',
    severity: 'warning',
    when: 'when a store is cleaned up',
    means: 'The system refuses to remove the folder. Everything else has been removed. The next clean-up tries again.',
    often: 'the folder has a file of another user, the folder is in use',
    fix: 'Remove the folder by hand, or grant the permission.',
  },
  R9002: {
    title: 'The command stopped because of a bug',
    verdict: 'bug',
    when: 'at any time',
    means: 'A part of Reflex failed unexpectedly. All earlier records are intact, and the details are in a file.',
    fix: 'Report the bug and attach that file.',
  },
})
