import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { CTRL_C, reflex, start, workFolder } from './worlds.ts'

const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q']
const ask = (spec: object): string => JSON.stringify({ id: 'ask', entry: 'q', nodes: { q: { id: 'q', spec } }, edges: [] })

function asking(spec: object): string {
  const folder = workFolder()
  writeFileSync(join(folder, 'ask.workflow.json'), ask(spec))
  return folder
}

describe('a question at the terminal', () => {
  test('arrows and enter choose', async () => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('› Approve')
    run.press('down')
    expect(run.screen()).toContain('› Reject')
    run.press('down', 'down', 'up', 'up')
    run.press('enter')
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('ana: Reject')
    expect(screen).not.toContain('›')
  })

  test('a letter or a number selects', async () => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('› Approve')
    run.press('r')
    expect(run.screen()).toContain('› Reject')
    run.press('1')
    expect(run.screen()).toContain('› Approve')
    run.press('escape')
    expect((await run.ended).code).toBe(75)
  })

  test('later leaves it in the inbox, with the way on', async () => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('Later')
    run.press('l', 'enter')
    const { code, screen } = await run.ended
    expect(code).toBe(75)
    expect(screen).toContain('reflex answer otter-2m9q YES')
  })

  test('text is typed, corrected and checked', async () => {
    const folder = asking({ ask: 'How many?', schema: { type: 'integer', minimum: 1 }, writes: 'n' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('How many?')
    run.press('x', 'enter')
    await run.shows('does not fit')
    run.press('backspace', '1', '3', 'left', 'backspace', '4', 'enter')
    const { code, screen } = await run.ended
    expect({ code, screen }).toMatchObject({ code: 0 })
    expect(screen).toContain('n 43')
  })

  test('an option may be left for another answer where the schema allows one', async () => {
    const folder = asking({ ask: 'Which?', options: ['one', 'two'], schema: { type: 'string' }, writes: 'which' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('Other')
    run.press('o', 'enter')
    await run.shows('enter answers')
    run.press('m', 'y', 'enter')
    expect((await run.ended).screen).toContain('which my')
  })

  test('what comes from outside cannot move the cursor', async () => {
    const folder = asking({ ask: 'Sure?\u001b[2J\u001b]0;x\u0007', options: [{ value: 'y', label: 'Yes\u001b[31m' }], writes: 'a' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('Later')
    run.press('escape')
    const { raw } = await run.ended
    expect(raw).not.toMatch(/\u001b\[2J|\u001b\]|\u0007/)
    expect(raw).toContain('␛[2J')
  })

  test('ctrl-c at the question leaves the run suspended and says how to go on', async () => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('› Approve')
    run.press(CTRL_C)
    const { code, screen, raw } = await run.ended
    expect(code).toBe(130)
    expect(screen).toContain('reflex resume otter-2m9q')
    expect(raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(raw.lastIndexOf('\u001b[?25l'))
  })

  test('an answer from elsewhere ends it', async () => {
    const folder = workFolder()
    const host = virtualHost()
    const run = start(RUN, { folder, columns: 80, host })
    await run.shows('› Approve')
    const other = await reflex(['answer', 'otter', 'reject', '--by', 'ben'], { folder })
    expect(other).toMatchObject({ code: 0 })
    expect(other.err).toContain('in its inbox')
    await host.advance(1000)
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('ben: Reject')
  })

  test('its deadline passes while it is shown', async () => {
    const folder = asking({ ask: 'Still there?', options: ['yes', 'no'], due: '3s', otherwise: 'no', writes: 'there' })
    const host = virtualHost()
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80, host })
    await run.shows('Still there?')
    await host.advance(3000)
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('there no')
    expect(screen).toContain('nobody answered in time')
  })
})

describe('answers from elsewhere', () => {
  test('are recorded first, then the run goes on', async () => {
    const folder = workFolder()
    expect((await reflex(RUN, { folder })).code).toBe(75)
    const { code, err, out } = await reflex(['answer', 'otter', 'q1', 'Approve', '--by', 'ben'], { folder })
    expect(code).toBe(0)
    expect(err).toMatch(/otter-2m9q\/q1 {2}YES, by ben, recorded @12\n/)
    expect(JSON.parse(out)).toEqual({ receipt: 'rf_20931', amount: 84 })
  })

  test('wait in the inbox of the run with --no-run', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    expect(await reflex(['answer', 'otter', 'NO', '--no-run'], { folder })).toMatchObject({ code: 0, out: '' })
    expect(await reflex(['resume', 'otter'], { folder })).toMatchObject({ code: 0, out: '{\n  "declined": true\n}\n' })
  })

  test.each([
    ['that is no option', ['answer', 'otter', 'aprove'], 'R4200', 'did you mean'],
    ['to a question never asked', ['answer', 'otter', 'q7', 'YES'], 'R2002', 'otter-2m9q/q1'],
    ['to a run that is not there', ['answer', 'lark', 'YES'], 'R2016', 'reflex runs'],
    ['with too many words', ['answer', 'otter', 'q1', 'yes', 'please'], 'R2031', 'quotes'],
  ])('%s are refused and change nothing', async (_, argv, code, hint) => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const before = (await reflex(['trace', 'otter', '--jsonl'], { folder })).out
    const refused = await reflex(argv, { folder })
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(code)
    expect(refused.err).toContain(hint)
    expect((await reflex(['trace', 'otter', '--jsonl'], { folder })).out).toBe(before)
  })

  test('to a question answered already are refused', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    await reflex(['answer', 'otter', 'YES'], { folder })
    expect(await reflex(['answer', 'otter', 'q1', 'NO'], { folder })).toMatchObject({ code: 2 })
  })

  test('come from a file, by the name of the node', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'all.answers.json'), '{"approve": "no", "other": 1}')
    const { code, err } = await reflex([...RUN, '--answers', 'all.answers.json'], { folder })
    expect(code).toBe(0)
    expect(err).toContain('answers that nothing asked for: other')
  })
})

describe('the inbox', () => {
  test('answers where it is read', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const run = start(['inbox'], { folder, columns: 80 })
    await run.shows('enter answers here')
    run.press('enter')
    await run.shows('› Approve')
    run.press('enter')
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('otter-2m9q/q1  YES, by ana, recorded @12')
    expect(screen).toContain('completed')
  })

  test('is empty where nobody is asked', async () => {
    expect(await reflex(['inbox'], { folder: workFolder(), columns: 80 })).toMatchObject({ code: 0, screen: 'nobody is asked anything' })
  })
})
