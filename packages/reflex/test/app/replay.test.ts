import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dumpState, loadState, type Rec, type StoredState } from '../../src/kernel/index.ts'
import type { Reflex } from '../../src/app/reflex.ts'
import { replayRun } from '../../src/app/replaying.ts'
import { memoryStore } from '../../src/store/index.ts'
import { chain, lifeIn, newFolder, workflow } from './folders.ts'
import { forge, type Forgery } from './forged.ts'

const CHECK = workflow(
  'check',
  { look: { rules: [{ go: 'good' }] }, fine: { writes: { verdict: 'good' } }, bad: { writes: { verdict: 'bad' } } },
  [
    ['good', 'look', 'fine', { type: 'exists', key: 'order' }],
    ['poor', 'look', 'bad'],
  ],
)
const PAY = workflow(
  'pay',
  {
    read: { writes: { order: { total: 84 } } },
    verify: { invokes: { workflowId: 'check', returnMap: [{ parentKey: 'identity', childKey: 'verdict' }] } },
    ask: { ask: 'Pay 84?', options: [{ event: 'YES' }, { event: 'NO' }], due: '3d' },
    paid: { writes: { receipt: 'rf_1' } },
    left: { writes: { receipt: 'none' } },
  },
  [
    ['next', 'read', 'verify'],
    ['then', 'verify', 'ask'],
    ['yes', 'ask', 'paid'],
    ['no', 'ask', 'left'],
  ],
)

function write(folder: string, name: string, program: object): string {
  const file = join(folder, `${name}.workflow.json`)
  writeFileSync(file, JSON.stringify(program, null, 2))
  return file
}

/** A folder with a program, and a run of it that was answered. */
async function paid(): Promise<{ reflex: Reflex; folder: string }> {
  const folder = newFolder()
  write(folder, 'check', CHECK)
  const reflex = lifeIn(folder)
  const run = await reflex.run(write(folder, 'pay', PAY), { id: 'otter-2m9q' })
  await reflex.answer('otter-2m9q', 'YES', { by: 'ana' })
  await run.idle()
  return { reflex, folder }
}

/** The number of the first record that a test is true of. */
async function numberOf(reflex: Reflex, test: (record: Rec) => boolean): Promise<number> {
  return (await reflex.runtime.journal('otter-2m9q')).findIndex(test) + 1
}

describe('a replay', () => {
  test('makes every decision again and ends equal, whatever the run came to', async () => {
    const { reflex, folder } = await paid()
    const open = await reflex.run(join(folder, 'pay.workflow.json'), { id: 'open-1' })
    const cancelled = await reflex.run(join(folder, 'pay.workflow.json'), { id: 'cancelled-1' })
    await cancelled.run.cancel('enough')
    await cancelled.idle()
    const failing = workflow('failing', { read: { tool: 'json.read', args: { path: 'nothing.json' } } }, [])
    const failed = await reflex.run(write(folder, 'failing', failing), { id: 'failed-1' })
    expect([open.status, cancelled.status, failed.status]).toEqual(['suspended', 'cancelled', 'suspended'])
    for (const { id, last } of await reflex.runs()) {
      const { result, equal, records, fault } = await reflex.replay(id)
      expect({ id, result, equal, records, fault }).toEqual({ id, result: 'equal', equal: last, records: last, fault: undefined })
    }
    expect(await reflex.replay('otter')).toMatchObject({ decisions: 6, noted: 0 })
  })

  test('performs nothing and changes nothing', async () => {
    const { folder } = await paid()
    const reflex = lifeIn(folder, { workflow: { agents: { rules: { resolve: () => Promise.reject(new Error('asked')) } } } })
    const look = async () => [await reflex.store.read('otter-2m9q'), await reflex.store.inbox('otter-2m9q')]
    const before = await look()
    await reflex.replay('otter')
    await reflex.replay('otter', { against: join(folder, 'pay.workflow.json') })
    expect(await look()).toEqual(before)
    expect(reflex.runtime.programs.find('workflow:pay')).toBeUndefined()
  })

  test('compares the snapshots of a long run', async () => {
    const folder = newFolder()
    const reflex = lifeIn(folder, { store: memoryStore() })
    const run = await reflex.run(write(folder, 'long', chain(1500)))
    expect(run.status).toBe('completed')
    const { result, equal, snapshots } = await reflex.replay('last')
    expect({ result, equal }).toEqual({ result: 'equal', equal: 1502 })
    expect(snapshots).toBeGreaterThan(0)
  })

  test('of a run that goes on meanwhile ends where it stood', async () => {
    const folder = newFolder()
    write(folder, 'check', CHECK)
    const reflex = lifeIn(folder)
    await reflex.run(write(folder, 'pay', PAY), { id: 'otter-2m9q' })
    const row = await reflex.find('otter')
    await reflex.answer('otter', 'YES')
    await reflex.runtime.openRuns.get('otter-2m9q')?.idle()
    expect(await replayRun(reflex, row)).toMatchObject({ result: 'equal', equal: row.last, records: row.last })
  })
})

const done = (record: Rec): boolean => record.more?.return !== undefined && record.frame === 0
const asks = (record: Rec): boolean => record.more?.wait !== undefined
const calls = (record: Rec): boolean => record.more?.call !== undefined
const chooses = (record: Rec): boolean => record.more?.note !== undefined
const reads = (record: Rec): boolean => record.writes?.[0] === 'order'
const returns = (record: Rec): boolean => record.input?.[0] === 'ret'

describe('a replay stops at the first record that differs', () => {
  test.each<[string, (record: Rec) => boolean, (record: Rec) => Rec, string, string, string]>([
    [
      'writes',
      reads,
      (r) => ({ ...r, writes: ['order', { total: 4 }] }),
      'the written values',
      'read done + order {"total":4}, goes to verify',
      'read done + order {"total":84}, goes to verify',
    ],
    [
      'position',
      reads,
      (r) => ({ ...r, position: 'ask' }),
      'the position',
      'read done + order {"total":84}, goes to ask',
      'read done + order {"total":84}, goes to verify',
    ],
    [
      'requests',
      returns,
      (r) => ({ ...r, requests: [['decide', { input: 'x' }]] }),
      'the requests',
      'the requests: {"input":"x"}',
      'the requests: nothing',
    ],
    [
      'requests gone',
      returns,
      (r) => ({ ...r, requests: undefined }),
      'the requests',
      'the requests: nothing',
      'the requests: [["decide"]]',
    ],
    [
      'input',
      returns,
      (r) => ({ ...r, input: ['ret', r.input?.[1] as string, 'failed'] }),
      'the input',
      'verify fails: failed',
      'verify returns',
    ],
    ['wait', asks, (r) => ({ ...r, more: { ...r.more, wait: [['answer', 'other']] } }), 'the waits', 'ask waits: ', 'ask asks "Pay 84?"'],
    [
      'call',
      calls,
      (r) => ({ ...r, more: { ...r.more, call: { pin: 0 } } }),
      'the call',
      'verify calls workflow:pay',
      'verify calls workflow:check',
    ],
    [
      'return',
      done,
      (r) => ({ ...r, more: { ...r.more, return: ['done', { receipt: 'rf_2' }] } }),
      'the end',
      'the end: "rf_2"',
      'the end: "rf_1"',
    ],
    [
      'note',
      chooses,
      (r) => ({ ...r, more: { ...r.more, note: { edge: 'good', open: ['good'] } } }),
      'the note',
      'the note: nothing',
      'the note: "poor"',
    ],
    [
      'drop',
      reads,
      (r) => ({ ...r, more: { ...r.more, drop: [] } }),
      'the dropped effects',
      'the dropped effects: []',
      'the dropped effects: nothing',
    ],
  ])('%s', async (_, which, change, words, recorded, decided) => {
    const { reflex } = await paid()
    const record = await numberOf(reflex, which)
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', { record, change })
    const { result, equal, difference, fault } = await reflex.replay('newt')
    expect({ result, equal, record: difference?.record }).toEqual({ result: 'differs', equal: record - 1, record })
    expect(difference?.recorded.says).toContain(recorded)
    expect(difference?.decided.says).toContain(decided)
    expect(fault).toMatchObject({ code: 'R5041', run: 'newt-1abc', message: `newt-1abc: record ${record} differs in ${words}` })
  })

  test('and names the place in the file while it still holds the program, and in the program once it does not', async () => {
    const { reflex, folder } = await paid()
    const record = await numberOf(reflex, reads)
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', { record, change: (r) => ({ ...r, position: 'ask' }) })
    expect((await reflex.replay('newt')).fault).toMatchObject({ file: join(folder, 'pay.workflow.json'), line: 5, path: 'nodes.read' })
    write(folder, 'pay', { ...PAY, metadata: { changed: true } })
    const { file, path } = (await reflex.replay('newt')).fault ?? {}
    expect({ file, path }).toEqual({ file: undefined, path: 'workflow:pay: nodes.read' })
  })

  test.each<[string, Forgery, RegExp]>([
    [
      'an output that nobody knows',
      { record: 3, change: (r) => ({ ...r, more: { ...r.more, strange: 1 } as Rec['more'] }) },
      /record 3 .*strange/,
    ],
    ['a frame that is not there', { record: 3, change: (r) => ({ ...r, frame: '99f' }) }, /record 3 cannot follow .*no frame 99f/],
    [
      'a second beginning',
      { record: 3, change: (r) => ({ ...r, more: { start: {} } as Rec['more'] }) },
      /record 3 cannot follow .*begins the run again/,
    ],
    [
      'an effect that was never asked for',
      { record: 3, change: (r) => ({ ...r, input: ['ok', 77, null] }) },
      /record 3 differs|no effect 77/,
    ],
    ['a part of another shape', { record: 3, change: (r) => ({ ...r, more: { wait: 7 } as unknown as Rec['more'] }) }, /record 3/],
  ])('or says that it cannot be read: %s', async (_, forgery, message) => {
    const { reflex } = await paid()
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', forgery)
    const found = await reflex.replay('newt').then(
      ({ fault }) => fault,
      (thrown: unknown) => thrown,
    )
    expect(found).toMatchObject({ code: expect.stringMatching(/R5003|R5041/) as string, message: expect.stringMatching(message) as string })
  })
})

describe('what a store keeps of a state', () => {
  test('must be what the records give: a snapshot', async () => {
    const { reflex } = await paid()
    const { state } = await reflex.runtime.peek('otter-2m9q', 6)
    const lie = JSON.stringify(dumpState(state, () => true))
      .replace('"total":84', '"total":85')
      .replaceAll('otter-2m9q', 'newt-1abc')
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', { snapshots: { 6: lie } })
    const { result, equal, fault } = await reflex.replay('newt')
    expect({ result, equal }).toEqual({ result: 'differs', equal: 6 })
    expect(fault).toMatchObject({
      code: 'R5042',
      message: expect.stringMatching(/snapshot after record 6 .*total is 85 there, and 84/) as string,
    })
  })

  test.each(['{', '{}', '{"start":{},"frames":7}'])('and one that cannot be read is said so: %s', async (snapshot) => {
    const { reflex } = await paid()
    const { state } = await reflex.runtime.peek('otter-2m9q')
    const sound = JSON.stringify(dumpState(state, () => true))
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', {
      snapshots: { 4: snapshot, [state.n]: sound.replaceAll('otter-2m9q', 'newt-1abc') },
    })
    expect(await reflex.replay('newt')).toMatchObject({ result: 'differs', equal: 4, fault: { code: 'R5042' } })
  })

  test('and so must what lists show', async () => {
    const { reflex } = await paid()
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', { row: { status: 'failed' } })
    expect((await reflex.replay('newt')).fault?.message).toMatch(
      /what lists show .*status is "failed" there, and "completed" by the records/,
    )
  })

  test('a true snapshot is equal after any record', async () => {
    const { reflex } = await paid()
    const { row } = await reflex.runtime.peek('otter-2m9q')
    const snapshots: Record<number, string> = {}
    for (let n = 1; n <= row.last; n++) {
      const text = JSON.stringify(dumpState((await reflex.runtime.peek('otter-2m9q', n)).state, () => true))
      expect(loadState(JSON.parse(text) as StoredState).n).toBe(n)
      snapshots[n] = text.replaceAll('otter-2m9q', 'newt-1abc')
    }
    await forge(reflex.store, 'otter-2m9q', 'newt-1abc', { snapshots })
    expect(await reflex.replay('newt')).toMatchObject({ result: 'equal', snapshots: row.last })
  })
})

describe('a replay on a changed program', () => {
  const guarded = {
    ...PAY,
    edges: [
      ...(PAY as { edges: object[] }).edges.slice(0, 2),
      { id: 'yes', from: 'ask', to: 'paid', event: 'YES', guard: { type: 'equals', key: 'identity', value: 'better' } },
      { id: 'no', from: 'ask', to: 'left', event: 'NO' },
    ],
  }

  test('that is the same is equal', async () => {
    const { reflex, folder } = await paid()
    const same = write(folder, 'again', { ...PAY, metadata: { owner: 'bo' } })
    expect(await reflex.replay('otter', { against: same })).toMatchObject({ result: 'equal', noted: 0 })
  })

  test('names the way that is not open any more, what its guard saw, and where it stands', async () => {
    const { reflex, folder } = await paid()
    const file = write(folder, 'later', guarded)
    const { result, difference, fault } = await reflex.replay('otter', { against: file })
    expect(result).toBe('differs')
    expect(difference?.decided).toEqual({ says: 'not possible', possible: false, open: ['no'] })
    expect(difference?.recorded).toMatchObject({ open: ['yes', 'no'], says: expect.stringContaining('ask → yes') as string })
    expect(fault).toMatchObject({ code: 'R5041', file, path: 'edges[2].guard.key', frame: expect.stringContaining('"good"') as string })
  })

  test('of a called program, found beside the file, takes its place as well', async () => {
    const { reflex, folder } = await paid()
    write(folder, 'check', {
      ...CHECK,
      nodes: { ...(CHECK as { nodes: object }).nodes, fine: { id: 'fine', spec: {} } },
      edges: [{ id: 'poor', from: 'look', to: 'bad', event: 'POOR' }],
    })
    const { difference, fault } = await reflex.replay('otter', { against: join(folder, 'pay.workflow.json') })
    expect(difference).toMatchObject({ path: 'verify/look', decided: { says: 'not possible', open: ['poor'] } })
    expect(fault?.file).toBe(join(folder, 'check.workflow.json'))
  })

  test('that only notes other ways goes on to the end', async () => {
    const { reflex, folder } = await paid()
    const more = { ...PAY, edges: [...(PAY as { edges: object[] }).edges, { id: 'later', from: 'ask', to: 'left', event: 'LATER' }] }
    const { result, noted, equal, records, difference } = await reflex.replay('otter', { against: write(folder, 'more', more) })
    expect({ result, noted, equal }).toEqual({ result: 'noted', noted: 1, equal: records - 1 })
    expect(difference).toMatchObject({ recorded: { open: ['yes', 'no'] }, decided: { open: ['yes', 'no', 'later'], possible: true } })
  })

  test('that calls another program, or none, differs at the call', async () => {
    const { reflex, folder } = await paid()
    write(folder, 'other', workflow('other', { only: {} }, []))
    const nodes = (verify: object): object => ({
      ...PAY,
      nodes: { ...(PAY as { nodes: object }).nodes, verify: { id: 'verify', ...verify } },
    })
    const other = write(folder, 'p1', nodes({ spec: {}, invokes: { workflowId: 'other', returnMap: [] } }))
    expect((await reflex.replay('otter', { against: other })).difference?.decided.says).toBe('verify calls workflow:other')
    const none = write(folder, 'p2', nodes({ spec: { writes: { identity: 'x' } } }))
    expect((await reflex.replay('otter', { against: none })).difference?.parts.map(({ part }) => part)).toContain('requests')
    const missing = write(folder, 'p3', nodes({ spec: {}, invokes: { workflowId: 'nowhere', returnMap: [] } }))
    expect((await reflex.replay('otter', { against: missing })).difference?.decided.says).toMatch(/verify fails: .*not registered/)
  })

  test('leaves the programs of other runs alone', async () => {
    const { reflex, folder } = await paid()
    await reflex.replay('otter', { against: write(folder, 'later', guarded) })
    const run = await reflex.run(join(folder, 'pay.workflow.json'))
    await reflex.answer(run.id, 'YES')
    await run.idle()
    expect(run.get('receipt')).toBe('rf_1')
  })

  test('of another name is refused, and so is a file with mistakes', async () => {
    const { reflex, folder } = await paid()
    const against = write(folder, 'other', workflow('other', { only: {} }, []))
    await expect(reflex.replay('otter', { against })).rejects.toMatchObject({
      code: 'R5043',
      fix: 'name a file that holds workflow:pay, workflow:check',
    })
    writeFileSync(against, '{')
    await expect(reflex.replay('otter', { against })).rejects.toMatchObject({ code: 'R1001' })
    await expect(reflex.replay('otter', { against: 'nothing.workflow.json' })).rejects.toMatchObject({ code: 'R1021' })
  })
})

test('a program that the store lacks is named, and the run stays as it is', async () => {
  const { reflex } = await paid()
  const bare = memoryStore()
  await forge(reflex.store, 'otter-2m9q', 'newt-1abc', {}, bare)
  await expect(lifeIn(newFolder(), { store: bare }).replay('newt')).rejects.toMatchObject({ code: 'R5006' })
  expect((await bare.read('newt-1abc'))?.row.status).toBe('completed')
})
