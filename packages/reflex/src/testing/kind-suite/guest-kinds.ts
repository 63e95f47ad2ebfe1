import { type Kind, isObject, type Json } from '../../kernel/index.ts'
import type { KindSubject } from './subject.ts'

/** The answer in the guest program. The end of the calling run must contain it. */
export const GUEST_WORD = 'a word from the guest'

/** A kind that asks a question and returns its answer. */
const guestKind: Kind = {
  name: 'suite-guest',
  rev: 1,
  compile: () => ({}),
  step(x, input) {
    if (input?.[0] === 'answer') {
      x.set('said', input[2])
      x.done(input[2])
    } else x.wait('answer', 'guest')
  },
}

/** A kind that calls one program, isolated, with its own arguments, and returns the result of the call. */
const hostKind: Kind<{ readonly calls: string }> = {
  name: 'suite-host',
  rev: 1,
  compile: (source) => ({ calls: isObject(source) && typeof source.calls === 'string' ? source.calls : '' }),
  calls: ({ calls }) => [calls],
  step(x, input) {
    if (input?.[0] === 'ret') x.done([input[2], input[3] ?? null])
    else x.call(x.def.calls, { isolated: true, ...(x.args === undefined ? {} : { args: x.args }) })
  },
}

/** Returns the subject with its program called by a program of another kind. */
export function calledByAnother(subject: KindSubject): KindSubject {
  const [root] = subject.programs
  const source: Json = { calls: `${root?.kind}:${root?.id}` }
  const { calling: _, ...rest } = subject
  return { ...rest, kinds: [...subject.kinds, hostKind], programs: [{ kind: hostKind.name, id: 'host', source }, ...subject.programs] }
}

/** Returns the subject with a program of its kind that calls a program of another kind. */
export function callingAnother(subject: KindSubject): KindSubject | undefined {
  const [root] = subject.programs
  if (subject.calling === undefined || root === undefined) return undefined
  const programs = [
    { kind: root.kind, id: 'calling', source: subject.calling('suite-guest:guest') },
    { kind: guestKind.name, id: 'guest', source: {} },
  ]
  const { script = {} } = subject
  return {
    ...subject,
    kinds: [...subject.kinds, guestKind],
    programs,
    script: { ...script, answer: (wait) => (wait.name === 'guest' ? GUEST_WORD : script.answer?.(wait)) },
  }
}
