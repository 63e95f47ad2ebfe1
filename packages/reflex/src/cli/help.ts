import type { Verb } from './verb.ts'

/** The group to which the verbs that kinds bring belong: they show something of a run. */
const LOOK = 'look'

const GROUPS: readonly (readonly [title: string, verbs: readonly string[]])[] = [
  ['do', ['run', 'resume', 'answer', 'signal', 'cancel', 'worker']],
  [LOOK, ['runs', 'inbox', 'show', 'trace']],
  ['go back', ['fork', 'diff', 'why', 'replay']],
  ['check', ['validate', 'fmt', 'check', 'graph', 'explain', 'schema', 'doctor', 'completion']],
  ['keep', ['export', 'import', 'gc', 'init']],
]

/** Returns the text of `reflex` without arguments: every command on one line, in groups. */
export function topHelp(command: string, verbs: readonly Verb[]): string {
  const usage = (verb: Verb): string =>
    [
      verb.name,
      ...(verb.usage === undefined ? verb.words.map(([syntax]) => syntax.replace(/[<>]/g, '').toUpperCase()) : [verb.usage]),
    ].join(' ')
  const widest = Math.max(...verbs.map((verb) => usage(verb).length))
  const grouped = new Set(GROUPS.flatMap(([, names]) => names))
  const ofKinds = verbs.flatMap(({ name }) => (grouped.has(name) ? [] : [name]))
  const groups = GROUPS.map(([title, names]) => {
    const lines = (title === LOOK ? [...names, ...ofKinds] : names)
      .flatMap((name) => verbs.filter((verb) => verb.name === name))
      .map((verb) => `  ${usage(verb).padEnd(widest)}  ${verb.about}`)
    return `${title}\n${lines.join('\n')}`
  })
  return `Models and people decide. Reflex keeps the process honest.

${command} COMMAND

${groups.join('\n')}

  Name a run by its id, a prefix of its id, or \`last\`; RUN@21 is the run after record 21.
  Every command accepts --json, --jsonl, -q, -v, --no-color and --store PATH.
  ${command} COMMAND --help shows its options.
`
}
