import type { Option } from 'commander'
import { actions } from './actions.ts'
import type { Verb } from './command.ts'

/** `docs/commands.md`: what `--help` says, as one page. */
export function commandPages(): string {
  const contents = actions.map(({ name, about }) => `- [\`${name}\`](#reflex-${name}) ${about}`)
  return [
    '# Commands',
    '',
    'Made from `reflex --help` by `npm run docs`.',
    '',
    ...contents,
    '',
    'A run is named by its id, a prefix that only it has, its trace id, or `last`. `RUN@21` is the run after record 21, `RUN/q1` its first question.',
    '',
    ...EXITS,
    ...actions.flatMap(page),
  ].join('\n')
}

const EXITS = [
  '| exit | meaning |',
  '| --- | --- |',
  '| 0 | done: completed, valid, nothing found |',
  '| 1 | the answer is no: the run failed, the program is invalid |',
  '| 2 | the command is wrong: an unknown verb, flag, run or file; nothing was done |',
  '| 3 | it cannot work here: the store cannot be read or written, another process holds the run |',
  '| 70 | a bug of Reflex; the details are in a file |',
  '| 75 | suspended: somebody must answer or mend something; nothing is lost |',
  '| 130, 143 | interrupted; the run is left suspended, and the way on is printed |',
  '',
]

function page(verb: Verb): string[] {
  const usage = verb.usage ?? verb.words.map(([syntax]) => syntax.replace(/[<>]/g, '').toUpperCase()).join(' ')
  return [
    `## reflex ${verb.name}`,
    '',
    `${capital(verb.about)}.`,
    '',
    '```',
    `reflex ${verb.name} ${usage}`.trimEnd(),
    ...verb.examples.map((example) => `reflex ${example}`),
    '```',
    '',
    '| | |',
    '| --- | --- |',
    ...verb.words.map(([syntax, about]) => row(syntax.replace(/[<>]/g, '').toUpperCase(), about)),
    ...verb.options.map((option: Option) => row(option.flags, option.description)),
    '',
  ]
}

function row(name: string, about: string): string {
  return `| \`${name}\` | ${about.replaceAll('|', String.raw`\|`)} |`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
