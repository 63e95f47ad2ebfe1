import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/kernel/index.ts'
import { type ModelRequest, type ScriptedReply, scriptedModel } from '../../src/models/index.ts'
import type { ReflexOptions } from '../../src/app/options.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { defineTool } from '../../src/tools/index.ts'
import { namedArguments, text } from '../../src/tools/arguments.ts'
import { memoryStore } from '../../src/store/index.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'
import { recorded } from '../../src/testing/index.ts'
import { lifeIn, newFolder, workflow } from './folders.ts'

const EDGES = [
  ['yes', 'decide', 'pay'],
  ['no', 'decide', 'leave'],
] as const

const refund = (spec: object): Workflow =>
  workflow(
    'refund',
    { decide: { prompt: 'Refund?', ...spec }, pay: { writes: { paid: true } }, leave: { writes: { paid: false } } },
    EDGES,
  ) as Workflow

const YES = { object: { edge: 'YES', because: 'The parcel is lost.' }, usage: { input: 100, output: 10 } }

function calling(...made: readonly (readonly [name: string, args: JsonObject])[]): ScriptedReply {
  return { calls: made.map(([name, args], i) => ({ id: `c${i}`, name, args })), usage: { input: 50, output: 5 } }
}

interface Life {
  readonly reflex: Reflex
  readonly asked: ModelRequest[]
  readonly looked: unknown[]
}

/** A life whose model says these replies in turn, with a tool that looks parcels up. */
function life(folder: string, replies: readonly (ScriptedReply | Error)[], options: ReflexOptions = {}): Life {
  const asked: ModelRequest[] = []
  const looked: unknown[] = []
  const lookUp = defineTool({
    name: 'parcel.find',
    description: 'Finds a parcel.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({ id: text() }),
    run: (args) => {
      looked.push(args)
      if (args.id === 'gone') throw new Error('no such parcel')
      return { state: 'lost', id: args.id }
    },
  })
  const model = scriptedModel((request) => {
    asked.push(request)
    return replies[asked.length - 1] ?? new Error('asked once more')
  })
  return { reflex: lifeIn(folder, { model, tools: [lookUp], trust: 'trusted', store: memoryStore(), ...options }), asked, looked }
}

describe('a model node that offers tools', () => {
  test('calls them as effects of its node, gives their results to the model, and then decides', async () => {
    const { reflex, asked, looked } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }], ['parcel_find', { id: 'gone' }]), YES])
    const run = await reflex.run(refund({ tools: ['parcel.find'] }), { id: 'otter-2m9q' })
    expect(run.status).toBe('completed')
    expect(run.get('paid')).toBe(true)
    expect(asked[0]?.tools).toEqual([{ name: 'parcel_find', description: 'Finds a parcel.', schema: expect.anything() as object }])
    expect(asked[1]?.messages.slice(2)).toEqual([
      { role: 'assistant', calls: expect.anything() as object },
      { role: 'tool', call: 'c0', name: 'parcel_find', result: { state: 'lost', id: 'A-1' } },
      { role: 'tool', call: 'c1', name: 'parcel_find', result: 'parcel.find failed: no such parcel', failed: true },
    ])
    // Calls of one reply run beside each other.
    expect(looked).toHaveLength(2)
    expect(looked).toEqual(expect.arrayContaining([{ id: 'A-1' }, { id: 'gone' }]))
    // Each call is an effect with a record of its own; a replay performs none.
    const { records } = await reflex.runtime.history('otter-2m9q')
    expect(records.flatMap(({ requests = [] }) => requests.map(([port]) => port))).toEqual(['decide', 'tool', 'tool', 'decide', 'decide'])
    expect(await reflex.replay('otter-2m9q')).toMatchObject({ result: 'equal' })
    expect(looked).toHaveLength(2)
  })

  test('shows the calls and what they cost in its trace, and keeps nothing of them on the board', async () => {
    const { reflex } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }]), YES])
    const run = await reflex.run(refund({ tools: ['parcel.find'] }))
    const { lines, state } = await reflex.trace(run.id)
    const told = lines.filter(({ event }) => event.node === 'decide').map(({ event }) => [event.mark, event.text])
    expect(told).toEqual([
      ['enter', undefined],
      ['note', 'calls parcel.find'],
      ['note', expect.stringContaining('"state":"lost"') as string],
      ['decide', 'The parcel is lost.'],
    ])
    const used = lines.map(({ event }) => event.facts?.used).filter((facts) => facts !== undefined)
    expect(used).toMatchObject([{ input: 50 }, { input: 100 }])
    expect(Object.keys(state.root.reader().snapshot())).toEqual(['paid'])
    expect(state.root.subs?.size ?? 0).toBe(0)
  })

  test('answers a call of another tool, or with wrong arguments, with an error', async () => {
    const replies = [calling(['parcel_drop', {}], ['parcel_find', {}]), calling(['parcel_drop', {}]), YES]
    const { reflex, asked, looked } = life(newFolder(), replies)
    expect((await reflex.run(refund({ tools: ['parcel.find'] }))).status).toBe('completed')
    expect(asked[1]?.messages.slice(3)).toMatchObject([
      { role: 'tool', result: 'there is no tool "parcel_drop"; the tools are parcel_find', failed: true },
      { role: 'tool', result: expect.stringContaining('id is missing') as string, failed: true },
    ])
    expect(looked).toEqual([])
  })

  test('is judged by the capability of each tool', async () => {
    const { reflex, asked } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }]), YES], {
      policy: [{ file: 'ours', allow: [], deny: ['arbor://tool/parcel.find'] }],
    })
    expect((await reflex.run(refund({ tools: ['parcel.find'] }))).status).toBe('completed')
    expect(asked[1]?.messages.at(-1)).toMatchObject({ failed: true, result: expect.stringContaining('arbor://tool/parcel.find') as string })
  })

  test('never has a model write what only an author writes', async () => {
    const { reflex } = life(newFolder(), [calling(['command', { argv: ['rm', '-r', '.'] }]), YES])
    const run = await reflex.run(refund({ tools: ['shell'] }))
    expect(run.questions[0]?.fault).toMatchObject({ code: 'R4032' })
  })

  test('passes on how it chooses, and lets it answer after the first turn', async () => {
    const { reflex, asked } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }]), YES])
    await reflex.run(refund({ tools: ['parcel.find'], toolChoice: { tool: 'parcel.find' } }))
    expect(asked.map(({ choice }) => choice)).toEqual([{ tool: 'parcel_find' }, 'auto'])
  })

  test('suspends when the model never answers within its turns', async () => {
    const call = calling(['parcel_find', { id: 'A-1' }])
    const { reflex, asked } = life(newFolder(), [call, call, call])
    const run = await reflex.run(refund({ tools: ['parcel.find'], maxTurns: 2 }))
    expect(run.questions[0]?.fault).toMatchObject({ code: 'R4018' })
    expect(asked).toHaveLength(2)
  })

  test('continues after the last good turn when the model fails and is tried again', async () => {
    const { reflex, asked, looked } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }]), new Error('down'), YES])
    const run = await reflex.run(refund({ tools: ['parcel.find'], retries: 0 }))
    expect(run.status).toBe('suspended')
    const [question] = run.questions
    if (question === undefined) throw new Error('nothing is asked')
    await run.answer(question, null, 'ana')
    await run.idle()
    expect(run.get('paid')).toBe(true)
    expect(asked[2]?.messages).toHaveLength(4)
    expect(looked).toHaveLength(1)
  })

  test('gives its provider options and cache marks to the model', async () => {
    const { reflex, asked } = life(newFolder(), [YES])
    await reflex.run(refund({ cache: 'prompt', providerOptions: { openai: { store: false } } }))
    expect(asked[0]).toMatchObject({
      options: { openai: { store: false } },
      messages: [
        { role: 'system', cache: true },
        { role: 'user', cache: true },
      ],
    })
  })

  test('is found by validate to name tools that are not there, and options that hold a key', async () => {
    const folder = newFolder()
    const { reflex } = life(folder, [])
    const file = join(folder, 'refund.workflow.json')
    const spec = { tools: ['parcel.fnd', 'shell'], toolChoice: { tool: 'http' }, providerOptions: { openai: { apiKey: 'sk-1' } } }
    writeFileSync(file, JSON.stringify(refund(spec)))
    const { findings } = await reflex.library.checkCalls(file)
    const codes = findings.map(({ code, message }) => `${code} ${message}`)
    expect(codes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/R4100 .*"parcel\.fnd"; did you mean "parcel\.find"\?/),
        expect.stringMatching(/R4032 .*"shell"/),
        expect.stringMatching(/R2100 toolChoice names "http"/),
        expect.stringMatching(/openai\.apiKey/),
      ]),
    )
  })
})

describe('a process that dies while a tool of a model node runs', () => {
  test.each([
    ['is performed again if it may be', 'free', 0],
    ['is asked about if it may not', 'ask', 1],
  ] as const)('the call %s, and the model gets its result once', async (_, repeat, questions) => {
    const [folder, store] = [newFolder(), memoryStore()]
    const begun = Promise.withResolvers<undefined>()
    const tool = (run: () => Promise<Json>) =>
      defineTool({ name: 'parcel.find', description: 'Finds.', leaves: repeat === 'ask', repeat, run })
    const endless = tool(() => {
      begun.resolve(undefined)
      return new Promise(() => undefined)
    })
    const program = refund({ tools: ['parcel.find'] })
    const first = life(folder, [calling(['parcel_find', {}])], { store, tools: [endless] })
    await first.reflex.start(program, { id: 'otter-2m9q' })
    await begun.promise
    await first.reflex.close()
    const second = life(folder, [YES], { store, tools: [tool(() => Promise.resolve({ state: 'lost' }))] })
    const run = await second.reflex.resume('otter-2m9q')
    await run.idle()
    expect(run.questions).toHaveLength(questions)
    for (const question of run.questions) {
      expect(question.question.text).toContain('parcel.find at decide')
      await run.answer(question, 'repeat', 'ana')
      await run.idle()
    }
    expect(run.get('paid')).toBe(true)
    expect(second.asked.map(({ messages }) => messages.slice(2))).toEqual([
      [
        { role: 'assistant', calls: expect.anything() as object },
        { role: 'tool', call: 'c0', name: 'parcel_find', result: { state: 'lost' } },
      ],
    ])
  })
})

describe('a fork of a decision that began with calls of tools', () => {
  test('is decided before the calls or after them, and between them it says where', async () => {
    const calls = calling(['parcel_find', { id: 'A-1' }], ['parcel_find', { id: 'A-2' }])
    const { reflex, asked, looked } = life(newFolder(), [calls, YES])
    await reflex.run(refund({ tools: ['parcel.find'] }), { id: 'otter-2m9q' })
    const ports = (await reflex.runtime.journal('otter-2m9q')).map(({ requests = [] }) => requests.map(([port]) => port).join(' '))
    expect(ports.slice(0, 6)).toEqual(['', 'decide', 'tool tool', '', 'decide', 'decide'])
    for (const at of [2, 5]) {
      const forked = await reflex.fork(`otter-2m9q@${at}`, { decide: 'no', id: `crane-${at}` })
      expect(forked.decided).toEqual({ place: 'decide', chose: 'no', was: { chose: 'yes', by: 'scripted' } })
      const run = await reflex.resume(`crane-${at}`)
      await run.idle()
      expect([run.status, run.get('paid'), (await reflex.replay(run.id)).result]).toEqual(['completed', false, 'equal'])
    }
    for (const at of [3, 4])
      await expect(reflex.fork(`otter-2m9q@${at}`, { decide: 'no' })).rejects.toMatchObject({
        code: 'R2063',
        message: `there is nothing to decide after record ${at} of otter-2m9q`,
        data: { near: [2, 5] },
      })
    expect([asked.length, looked.length]).toEqual([2, 2])
  })
})

describe('a recorded run with tools at a model node', () => {
  test('is decided again to the same end, and goes on wherever its process dies', async () => {
    const { reflex } = life(newFolder(), [calling(['parcel_find', { id: 'A-1' }]), calling(['parcel_find', { id: 'gone' }]), YES])
    const run = await reflex.run(refund({ tools: ['parcel.find'] }))
    const lines: string[] = []
    for await (const line of reflex.export(run.id)) lines.push(line)
    const again = await recorded(lines)
    expect(await again.replay()).toMatchObject({ status: 'completed' })
    const { points, repeated } = await again.crashEverywhere()
    expect(points).toBeGreaterThan(5)
    expect(repeated).toEqual([])
  })
})
