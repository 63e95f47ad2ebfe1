import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import {
  AutoApproveInterviewer,
  CallbackInterviewer,
  ConsoleInterviewer,
  type Interviewer,
  type InterviewQuestion,
  QueueInterviewer,
  RecordingInterviewer,
  run,
} from '../../../src/kinds/pipeline/index.ts'
import { interview } from '../../../src/kinds/pipeline/face/interviewers.ts'
import type { OpenQuestion } from '../../../src/people/index.ts'

/** The gate of the reference: each choice is reachable by key, label and target (reference pipeline 7.3). */
const gate: OpenQuestion = {
  id: 'otter/q1',
  name: 'gate',
  path: 'fan/gate',
  question: {
    text: 'Deploy?',
    options: [
      { value: 'Approve', key: 'A', also: ['[A] Approve', 'ship'] },
      { value: 'Modify', key: 'M', also: ['[M] Modify', 'plan'] },
      { value: 'Reject', key: 'R', also: ['[R] Reject', 'stop'] },
    ],
  },
}
const why: OpenQuestion = { id: 'otter/q2', name: 'why', question: { text: 'Why?', schema: { type: 'string' } } }
const sure: OpenQuestion = {
  id: 'otter/q3',
  name: 'sure',
  question: {
    text: 'Sure?',
    options: [
      { value: 'yes', label: 'Yes', key: 'Y' },
      { value: 'no', label: 'No', key: 'N' },
    ],
  },
}
const doubt: OpenQuestion = {
  id: 'otter/q4',
  name: 'doubt',
  asker: 'outcome',
  question: { text: 'Did it?', options: [{ value: 'happened' }] },
}
const all = [gate, why, sure, doubt]

const ask = (interviewer: Interviewer, ...open: readonly OpenQuestion[]) => interview(interviewer, open, { run: 'otter' })

describe('AutoApprove', () => {
  // proves: pipeline s8.2a, pipeline 7.2a
  test('takes yes, the first edge, and writes that it was approved; what Reflex itself asks stays open', async () => {
    expect(await ask(new AutoApproveInterviewer(), ...all)).toEqual(['Approve', 'auto-approved', 'yes', undefined])
  })

  // proves: pipeline 7.2a
  test('warns of a label that looks like a rejection, and skips what offers nothing', async () => {
    const warnings: string[] = []
    const interviewer = new AutoApproveInterviewer({ warn: (message, stage) => warnings.push(`${stage}: ${message}`) })
    const reversed = { ...gate, question: { ...gate.question, options: [...(gate.question.options ?? [])].reverse() } }
    expect(await ask(interviewer, reversed)).toEqual(['Reject'])
    expect(warnings).toEqual(['gate: "Reject" was chosen, which looks like a rejection'])
    const empty: InterviewQuestion = { id: 'q', text: '?', type: 'multiple_choice', options: [], stage: 's', metadata: {} }
    expect(interviewer.ask(empty)).toEqual({ value: 'skipped' })
  })
})

describe('Queue', () => {
  // proves: pipeline 7.2b
  test.each(['a', 'APPROVE', 'ship', '1', 'app', '[A] Approve'])('understands %s', async (word) => {
    expect(await ask(new QueueInterviewer({ answers: [word] }), gate)).toEqual(['Approve'])
  })

  // proves: pipeline s8.2d, pipeline 7.2d
  test('hands each answer out once, those of a stage first', async () => {
    const queue = new QueueInterviewer({ answers: ['r', 'm'], answers_by_stage: { gate: ['m'], why: 'because' } })
    expect(await ask(queue, gate, gate, why, gate, gate)).toEqual(['Modify', 'Reject', 'because', 'Modify', { skipped: true }])
    expect(queue.left).toBe(0)
  })

  // proves: pipeline 7.2d
  test('what names no choice takes the first; nothing left is skipped, or late', async () => {
    expect(await ask(new QueueInterviewer({ answers: ['perhaps'] }), gate)).toEqual(['Approve'])
    expect(await ask(new QueueInterviewer({}), gate)).toEqual([{ skipped: true }])
    expect(await ask(new QueueInterviewer({ return_timeout_when_empty: true }), gate)).toEqual([{ timeout: true }])
  })
})

describe('Callback', () => {
  // proves: pipeline s8.1a, pipeline s8.2c
  test('may answer with a word, an answer, later, or nothing', async () => {
    expect(await ask(new CallbackInterviewer(() => 'stop'), gate)).toEqual(['Reject'])
    expect(
      await ask(
        new CallbackInterviewer(async ({ options }) => ({ value: 'x', selected_option: options[1] ?? { key: '', label: '' } })),
        gate,
      ),
    ).toEqual(['Modify'])
    expect(await ask(new CallbackInterviewer((_, { node_id = '' }) => `asked at ${JSON.stringify(node_id)}`), why)).toEqual([
      'asked at "why"',
    ])
    for (const nothing of [undefined, null, { value: 7 }])
      expect(await ask(new CallbackInterviewer(() => nothing), gate)).toEqual([{ skipped: true }])
  })

  test('a word that is no choice is refused, and nothing is chosen for it', async () => {
    await expect(ask(new CallbackInterviewer(() => 'perhaps'), gate)).rejects.toMatchObject({ code: 'R4200' })
  })
})

// proves: pipeline s8.2e
test('Recording keeps pairs, and a queue made of them does the same again', async () => {
  const heard: string[] = []
  const recording = new RecordingInterviewer(new QueueInterviewer({ answers: ['m', 'no reason', 'n'] }), ({ question }) =>
    heard.push(question.stage),
  )
  const first = await ask(recording, ...all)
  expect(first).toEqual(['Modify', 'no reason', 'no', undefined])
  expect(heard).toEqual(['gate', 'why', 'sure'])
  const again = new QueueInterviewer({ answers: recording.recordings.map(({ answer }) => answer) })
  expect(await ask(again, ...all)).toEqual(first)
})

describe('Console', () => {
  const consoleOf = (typed: string, interactive = true) => {
    const input = new PassThrough()
    const output = new PassThrough()
    input.end(typed)
    let shown = ''
    output.on('data', (part: Buffer) => (shown += part.toString()))
    return { interviewer: new ConsoleInterviewer({ input, output, interactive }), shown: () => shown }
  }

  // proves: pipeline s8.2b, pipeline 7.2b, pipeline 12.56
  test('shows the choices with their keys, and asks again for what is none of them', async () => {
    const { interviewer, shown } = consoleOf('perhaps\nre\nsome words\ny\n')
    expect(await ask(interviewer, gate, why, sure)).toEqual(['Reject', 'some words', 'yes'])
    expect(shown()).toContain(
      '[?] Deploy?\n  [A] Approve\n  [M] Modify\n  [R] Reject\nSelect: perhaps is not an option. The options are Approve, Modify, Reject.\nSelect: ',
    )
    expect(shown()).toContain('[?] Sure?\n  [Y] Yes\n  [N] No\n[Y/N]: ')
    interviewer.close()
  })

  test('gives up after three tries; the end of the input is late', async () => {
    expect(await ask(consoleOf('x\ny\nz\na\n').interviewer, gate)).toEqual([{ skipped: true }])
    expect(await ask(consoleOf('').interviewer, gate)).toEqual([{ timeout: true }])
  })

  // proves: pipeline 7.2c
  test('where nobody sits it does not wait', async () => {
    expect(await ask(consoleOf('a\n', false).interviewer, gate)).toEqual([{ skipped: true }])
    const kept = { ...gate, question: { ...gate.question, otherwise: 'Reject' } }
    expect(await ask(consoleOf('a\n', false).interviewer, kept)).toEqual([{ timeout: true }])
  })

  test('a question cannot steer the terminal', async () => {
    const { interviewer, shown } = consoleOf('a\n')
    await ask(interviewer, { ...gate, question: { ...gate.question, text: 'Deploy?\u001b[2J' } })
    expect(shown()).not.toContain('\u001b')
  })
})

// proves: pipeline 7.1c
test('an interviewer is told of warnings, of stages that failed, and of the end', async () => {
  const told: string[] = []
  const informs: Interviewer = { ask: () => ({ value: 'skipped' }), inform: (message, stage) => void told.push(`${stage}: ${message}`) }
  const interviewer = new RecordingInterviewer(informs)
  const dot = (rest: string): string =>
    `digraph g { start [shape=Mdiamond] done [shape=Msquare] gate [type=gate] a [prompt=x, simulate=fail] ${rest} }`
  await run(dot('start -> gate -> a a -> done [condition="outcome=fail"]'), { logs_root: false, validate: false, interviewer })
  await run(dot('start -> a -> done'), { logs_root: false, validate: false, interviewer })
  expect(told).toEqual([
    expect.stringMatching(/^gate: the gate always passes/),
    expect.stringMatching(/^a: failed: /),
    'g: completed',
    expect.stringMatching(/^a: failed: /),
    expect.stringMatching(/^g: failed: /),
  ])
})

test('an interviewer that cannot be told breaks nothing', async () => {
  const broken = (): never => {
    throw new Error('no terminal')
  }
  const dot = 'digraph g { start [shape=Mdiamond] done [shape=Msquare] start -> done }'
  expect((await run(dot, { logs_root: false, interviewer: { ask: broken, inform: broken } })).status).toBe('success')
})
