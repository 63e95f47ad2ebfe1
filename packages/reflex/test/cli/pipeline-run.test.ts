import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countCells } from '../../src/text/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { type Ended, normal, reflex, start, workFolder } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

/** Branches with a quorum, one of them asks a person; a failure that is tried again; a choice by what the context holds. */
const REVIEW = `digraph review {
  graph [label="Code review"]
  begin [shape=Mdiamond]
  fan [shape=component, join_policy="quorum", quorum_fraction=0.6, merge_context=true]
  security [prompt="Look for holes", llm_model="simulated", output_key="holes"]
  deep [prompt="Look deeper", llm_model="simulated"]
  style [prompt="Look at the style", simulate="fail_once", max_retries=1]
  owner [shape=hexagon, label="Do you own this code?"]
  slow [type="wait.timer", duration="20s"]
  join [shape=tripleoctagon]
  check [shape=diamond]
  merge [shape=hexagon, label="Merge?"]
  fix [prompt="Fix it", simulate="true"]
  end [shape=Msquare]
  begin -> fan
  fan -> security -> deep -> join
  fan -> style -> join
  fan -> owner
  owner -> slow [label="[Y] Yes"]
  owner -> join [label="[N] No"]
  slow -> join
  join -> check
  check -> merge [condition="outcome=success"]
  check -> fix [condition="context.holes=many"]
  merge -> end [label="[M] Merge"]
  merge -> fix [label="[F] Fix first"]
  fix -> end
}
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = workFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** A command whose clock goes on until it has ended. */
async function played(argv: readonly string[], folder: string): Promise<Ended> {
  const host = virtualHost()
  const { ended } = start(argv, { folder, host })
  for (;;) {
    const over = await Promise.race([ended, host.advance(500)])
    if (over !== undefined) return over
  }
}

test('the start of a run has the time of its start, not of its first durable record', async () => {
  const folder = folderWith({ 'one.dot': 'digraph one { a [shape=Mdiamond] b [shape=Msquare] a -> b }' })
  const host = virtualHost()
  await host.advance(999)
  const { ended } = start(['run', 'one.dot', '--id', 'otter-2m9q'], { folder, host })
  let end: Ended | undefined
  while (end === undefined) end = (await Promise.race([ended, host.advance(7)])) ?? undefined
  const { out } = await reflex(['runs', '--json'], { folder, host })
  const [run] = (JSON.parse(out) as { runs: readonly { started: string }[] }).runs
  expect(/^(\S+) {2}started/m.exec(end.err)?.[1]).toBe(`${run?.started.slice(0, 19)}Z`)
})

describe('a pipeline at a terminal', () => {
  test.each([80, 40])('prints parallel branches at %i columns, with a question in one while the others continue', async (columns) => {
    const folder = folderWith({ 'review.dot': REVIEW })
    const host = virtualHost()
    const running = start(['run', 'review.dot', '--budget', 'usd=2'], { folder, columns, host })
    await running.shows('Do you own this code?')
    const asked = running.screen()
    running.press('y')
    running.press('enter')
    await running.shows('owner/slow')
    while (!running.screen().includes('ctrl-c leaves')) await host.advance(500)
    const branches = running.screen()
    while (!running.screen().includes('Merge?')) await host.advance(5_000)
    running.press('m')
    running.press('enter')
    const { screen, code } = await running.ended
    expect(code).toBe(0)
    for (const look of [asked, branches, screen]) expect(look.split('\n').filter((line) => countCells(line) > columns)).toEqual([])
    const looks = { asked, branches, screen }
    const text = Object.entries(looks).map(([name, look]) => `--- ${name}\n${look}`)
    await expect(`${normal(text.join('\n\n'))}\n`).toMatchFileSnapshot(golden(`pipeline-run-${columns}`))
  })
})

describe('a pipeline without a terminal', () => {
  test('prints one line with its path for each event, and the result for a pipe', async () => {
    const folder = folderWith({ 'review.dot': REVIEW, 'review.answers.json': '{"owner": "n", "merge": "fix"}' })
    const { err, out, code } = await played(['run', 'review.dot', '--answers', 'review.answers.json'], folder)
    expect(code).toBe(0)
    expect(err).toMatch(/branches {2}fan: 3 branches, quorum 2 of 3/)
    expect(err).toMatch(/warns {5}fan\/style: simulated failure, once {2}attempt 2 of 2, after \d+ ms/)
    expect(err).toMatch(/done {6}fan\/security\/deep: .*tok/)
    expect(err).toMatch(/asked {5}fan\/owner: Do you own this code\?/)
    expect(err).toMatch(/decided {3}check: rules → merge, because outcome = success/)
    expect(JSON.parse(out)).toEqual({
      holes: '[Simulated] Response for review/security',
      last_response: '[Simulated] Response for stage: fix',
    })

    const whole = JSON.parse((await reflex(['runs', '--json'], { folder })).out) as {
      runs: { value: { status: string; context: object } }[]
    }
    expect(whole.runs[0]?.value).toMatchObject({ status: 'success', context: { 'human.gate.label': 'Fix first' } })
  })

  test('an answer that is not an option leaves the question open', async () => {
    const folder = folderWith({ 'review.dot': REVIEW, 'wrong.json': '{"owner": "perhaps"}' })
    const { err, code } = await reflex(['run', 'review.dot', '--answers', 'wrong.json'], { folder })
    expect(code).toBe(75)
    expect(err).toContain('"perhaps" is none of Yes, No')
  })

  test('a failure has the place of its stage and a fix', async () => {
    const dot = 'digraph p { s [shape=Mdiamond]\n  a [type=read, source=file, path="/etc/hosts"]\n  e [shape=Msquare] s -> a -> e }'
    const folder = folderWith({ 'p.dot': dot })
    const { err, code } = await reflex(['run', 'p.dot'], { folder })
    expect(code).toBe(1)
    expect(err).toMatch(/error R2201 {2}p\.dot:2:3\n {2}p: unauthorized.*\n2 │ {3}a \[type=read/s)
    expect(err).toContain('grant arbor://fs/read/etc/hosts with --policy FILE')
    const { error } = JSON.parse((await reflex(['run', 'p.dot', '--json'], { folder })).out) as { error: object }
    expect(error).toMatchObject({ path: 'a', line: 2, column: 3 })
  })

  test('a partial success is reported', async () => {
    const dot = 'digraph p { s [shape=Mdiamond] a [prompt="x", simulate="fail", allow_partial=true] e [shape=Msquare] s -> a -> e }'
    const { err, code } = await reflex(['run', 'p.dot'], { folder: folderWith({ 'p.dot': dot }) })
    expect([code, err]).toEqual([0, expect.stringMatching(/completed.*partial success/)])
  })
})

describe('show and trace', () => {
  test('the choice of a person is shown with the other open edges', async () => {
    const folder = folderWith({ 'review.dot': REVIEW, 'a.json': '{"owner": "no", "merge": "fix"}' })
    await played(['run', 'review.dot', '--answers', 'a.json'], folder)
    const { out } = await reflex(['trace', 'last', '--no-color'], { folder, columns: 80 })
    expect(out).toMatch(/merge {6}\S+: Fix first.*\n +also open: \[M\] Merge\n/)
  })

  test('show the node, closed edges with reasons and labels of values, and no keys of the engine', async () => {
    const folder = folderWith({ 'review.dot': REVIEW, 'a.json': '{"owner": "no"}' })
    await played(['run', 'review.dot', '--answers', 'a.json'], folder)
    const shown = JSON.parse((await reflex(['show', 'last', '--json'], { folder })).out) as {
      stack: { node: string }[]
      choices: { label: string; open: boolean }[]
      board: { key: string; known?: string }[]
    }
    expect(shown.stack).toEqual([{ program: 'review', node: 'merge' }])
    expect(shown.choices.map(({ label, open }) => [label, open])).toEqual([
      ['[M] Merge', true],
      ['[F] Fix first', true],
    ])
    expect(shown.board.filter(({ key }) => key.startsWith('#'))).toEqual([])
    expect(shown.board.find(({ key }) => key === 'holes')?.known).toMatch(/^derived/)

    const { screen } = await start(['trace', 'last', '-v'], { folder, columns: 100 }).ended
    expect(screen).toMatch(/fan +▸ 3 branches, quorum 2 of 3/)
    expect(screen).toMatch(/security\/deep/)
    expect(screen).toContain('closed: fix, context.holes = many')
  })
})

describe('--budget', () => {
  test('a run with a spent budget waits for a budget, not for a person of its program', async () => {
    const dot =
      'digraph p { s [shape=Mdiamond] a [prompt="x", simulate="true"] b [prompt="x", simulate="true"] e [shape=Msquare] s -> a -> b -> e }'
    const folder = folderWith({ 'p.dot': dot })
    await reflex(['run', 'p.dot', '--id', 'otter', '--budget', 'steps=2', '--answers', 'none'], { folder })
    expect((await reflex(['runs'], { folder, columns: 80 })).out).toContain('suspended  a budget (q1)')
    expect((await reflex(['show', 'otter'], { folder, columns: 80 })).out).toContain('waits for a budget (q1)')
  })

  test.each([
    ['usd=2,tokens=100k,time=10m,steps=500', '$2.00, 100,000 tok, 10 m 00 s, 500 steps'],
    [' tokens = 2M ', '2,000,000 tok'],
  ])('%s', async (budget, text) => {
    const folder = folderWith({ 'review.dot': REVIEW })
    const { err } = await reflex(['run', 'review.dot', '--answers', 'none', '--budget', budget], { folder })
    expect(err).toContain(`budget ${text}`)
  })

  test.each([
    ['token=5', 'did you mean "tokens"?'],
    ['money=5', 'did you mean "usd"?'],
    ['usd', 'not NAME=AMOUNT'],
    ['usd=0', 'not an amount above 0'],
    ['steps=1.5', 'which is not a whole'],
    ['time=soon', 'is not a duration'],
    ['usd=1,usd=2', 'names usd twice'],
    ['', 'names no limit'],
  ])('%s is refused before anything is done', async (budget, problem) => {
    const { err, code } = await reflex(['run', 'review.dot', '--budget', budget], { folder: folderWith({ 'review.dot': REVIEW }) })
    expect([code, err]).toEqual([2, expect.stringContaining(problem)])
  })
})

describe('--simulate', () => {
  const dot = `digraph s {
    s [shape=Mdiamond] build [type="shell", command="touch made"] say [prompt="Say it", llm_model="openai:gpt-5"]
    keep [type="file.write", content_key="last_response", output="kept.txt"] ask [shape=hexagon] e [shape=Msquare]
    s -> build -> say -> ask -> keep -> e
  }`

  test('performs nothing, prints that in the header, and stays simulated after a resume', async () => {
    const folder = folderWith({ 's.dot': dot })
    const asked = await reflex(['run', 's.dot', '--simulate'], { folder })
    expect(asked.err).toContain('simulated: nothing leaves this machine')
    expect(asked.code).toBe(75)
    const resumed = await reflex(['resume', 'last'], { folder })
    expect(resumed.err).toContain('simulated')
    const { code, out } = await reflex(['answer', 'last', 'keep'], { folder })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toHaveProperty('last_response', expect.stringContaining('[Simulated]'))
    for (const name of ['made', 'kept.txt']) expect(() => readFileSync(join(folder, name))).toThrow()
  })

  test('works for workflows', async () => {
    const folder = workFolder()
    const { err, code } = await reflex(['run', 'refund.workflow.json', '--input', 'order_id=A-1042', '--answers', 'auto', '--simulate'], {
      folder,
    })
    expect(err).toContain('simulated')
    expect(code).toBe(0)
  })
})
