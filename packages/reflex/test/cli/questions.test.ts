import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Console } from '../../src/cli/console.ts'
import { runHeader } from '../../src/cli/header.ts'
import type { Session } from '../../src/cli/session.ts'
import type { World } from '../../src/cli/world.ts'
import type { RunHandle } from '../../src/runs/handle.ts'
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

  test('Later leaves it in the inbox, and prints the next command', async () => {
    const run = start(RUN, { folder: workFolder(), columns: 80 })
    await run.shows('Later')
    run.press('l', 'enter')
    const { code, screen } = await run.ended
    expect(code).toBe(75)
    expect(screen).toContain('reflex answer otter-2m9q YES')
  })

  test('text can be typed and corrected, and is checked', async () => {
    const folder = asking({ ask: 'How many?', schema: { type: 'integer', minimum: 1 }, writes: 'n' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('How many?')
    run.press('x', 'enter')
    await run.shows('does not match')
    run.press('backspace', '1', '3', 'left', 'backspace', '4', 'enter')
    const { code, screen } = await run.ended
    expect({ code, screen }).toMatchObject({ code: 0 })
    expect(screen).toContain('n 43')
  })

  test('another answer can be typed if the schema allows one', async () => {
    const folder = asking({ ask: 'Which?', options: ['one', 'two'], schema: { type: 'string' }, writes: 'which' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('Other')
    run.press('o', 'enter')
    await run.shows('enter to answer')
    run.press('m', 'y', 'enter')
    expect((await run.ended).screen).toContain('which my')
  })

  test('text from outside cannot move the cursor', async () => {
    const folder = asking({ ask: 'Sure?\u001b[2J\u001b]0;x\u0007', options: [{ value: 'y', label: 'Yes\u001b[31m' }], writes: 'a' })
    const run = start(['run', 'ask.workflow.json'], { folder, columns: 80 })
    await run.shows('Later')
    run.press('escape')
    const { raw } = await run.ended
    expect(raw).not.toMatch(/\u001b\[2J|\u001b\]|\u0007/)
    expect(raw).toContain('␛[2J')
  })

  test('commands to paste and documents cannot move the cursor', async () => {
    const evil = 'v\u001b]0;pwn\u0007\u009b2J\u202e'
    const folder = asking({ ask: 'Sure?', options: [evil, 'n'], writes: 'a' })
    const run = ['run', 'ask.workflow.json', '--id', 'oak', '--answers', 'none']
    const looks = [run, ['show', 'oak'], ['inbox', '-q'], ['trace', 'oak'], ['answer', 'oak', evil], ['show', 'oak'], ['trace', 'oak']]
    for (const columns of [undefined, 80]) {
      const store = ['--store', `${columns}.db`]
      for (const argv of looks) {
        const { raw, err, out } = await reflex([...argv, '--no-color', ...store], { folder, ...(columns === undefined ? {} : { columns }) })
        expect({ argv, columns, raw }).toMatchObject({ raw: expect.not.stringMatching(/[^\P{C}\n\t]/u) as string })
        if (argv === run) expect(err).toContain(String.raw`answer oak $'v\x1b]0;pwn\x07\u009b2J\u202e' --store`)
        if (argv[0] === 'answer' && columns === undefined) expect(JSON.parse(out)).toEqual({ a: evil })
      }
      for (const argv of [['runs'], ['show', 'oak'], ['trace', 'oak']])
        for (const shape of ['--json', '--jsonl'])
          expect((await reflex([...argv, shape, ...store], { folder })).raw).not.toMatch(/[^\P{C}\n]/u)
    }
  })

  test('the name of a program cannot move the cursor', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'evil.workflow.json'), ask({ ask: 'Sure?' }).replace('"ask"', String.raw`"a\u001b]0;pwn\u0007\u009bb"`))
    for (const columns of [undefined, 80]) {
      const world = { folder, ...(columns === undefined ? {} : { columns }) }
      for (const argv of [
        ['validate', 'evil.workflow.json'],
        ['run', 'evil.workflow.json', '--id', `oak${columns}`, '--answers', 'none'],
        ['runs'],
        ['show', 'last'],
        ['trace', 'last'],
        ['resume', 'last', '--answers', 'none'],
      ]) {
        const { raw } = await reflex([...argv, '--no-color'], world)
        expect({ argv, columns, raw }).toMatchObject({ raw: expect.not.stringMatching(/[^\P{C}\n\t]/u) as string })
      }
    }
  })

  test.each(['--store=evil.db', '@order.json', ':=1'])('an option %s is an ordinary answer', async (value) => {
    const folder = asking({ ask: 'Which?', options: [value, 'n'], writes: 'a' })
    const { err } = await reflex(['run', 'ask.workflow.json', '--id', 'oak'], { folder })
    const [, word = ''] = /reflex answer oak '(.*)'/.exec(err) ?? []
    expect(await reflex(['answer', 'oak', word], { folder })).toMatchObject({ code: 0, out: `{\n  "a": "${value}"\n}\n` })
  })

  test('ctrl-c at the question leaves the run suspended, and prints the command that continues it', async () => {
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
    const [other, third] = [
      start(['answer', 'otter', 'reject', '--by', 'ben'], { folder, host }),
      start(['answer', 'otter/q1', 'approve'], { folder, host }),
    ]
    await host.drain(20)
    await host.advance(1000)
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('ben: Reject')
    await host.advance(1000)
    expect(await other.ended).toMatchObject({ code: 0, err: 'otter-2m9q/q1  "NO", by ben, recorded by the process that owns the run\n' })
    expect(await third.ended).toMatchObject({ code: 2, err: expect.stringContaining('R2002') as string })
  })

  test('an answer from elsewhere that the owner does not take is reported as in the inbox', async () => {
    const folder = workFolder()
    const run = start(RUN, { folder, columns: 80 })
    await run.shows('› Approve')
    const host = virtualHost()
    const other = start(['answer', 'otter', 'reject', '--by', 'ben'], { folder, host })
    await host.drain(20)
    await host.advance(4000)
    const { code, err } = await other.ended
    expect(code).toBe(0)
    expect(err).toMatch(/in its inbox[^]*which will take it/)
    run.press(CTRL_C)
    await run.ended
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
    expect(screen).toContain('no answer arrived in time')
  })
})

describe('answers from elsewhere', () => {
  test('are recorded before the run continues', async () => {
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

  test('that come too late are not reported as recorded: their author learns who was first', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    await reflex(['answer', 'otter', 'NO', '--no-run', '--by', 'ana'], { folder })
    const { code, err } = await reflex(['answer', 'otter', 'YES', '--by', 'ben'], { folder })
    expect(code).not.toBe(0)
    expect(err).not.toContain('recorded @')
    expect(err).toContain('ana was first, with NO')
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

  test('to a question that is already answered are refused', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    await reflex(['answer', 'otter', 'YES'], { folder })
    expect(await reflex(['answer', 'otter', 'q1', 'NO'], { folder })).toMatchObject({ code: 2 })
  })

  test('can come from a file, by the name of the node', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'all.answers.json'), '{"approve": "no", "other": 1}')
    const { code, err } = await reflex([...RUN, '--answers', 'all.answers.json'], { folder })
    expect(code).toBe(0)
    expect(err).toContain('answers for which there was no question: other')
  })
})

describe('an invalid answer in a file', () => {
  const refuse = (shape: string[]): ReturnType<typeof reflex> => {
    const folder = workFolder()
    writeFileSync(join(folder, 'all.json'), '{"approve": "zzz"}')
    return reflex([...RUN, '--answers', 'all.json', ...shape], { folder })
  }

  test('leaves the run suspended, and prints the next command', async () => {
    const { code, err } = await refuse([])
    expect(code).toBe(75)
    expect(err).toContain('error R4200')
    expect(err).toContain('suspended  otter-2m9q')
    expect(err).toContain('reflex answer otter-2m9q YES')
    expect(err).not.toContain('there was no question')
  })

  test('names the run in documents', async () => {
    const error = { code: 'R4200', run: 'otter-2m9q' }
    const one = await refuse(['--json'])
    expect({ code: one.code, ...(JSON.parse(one.out) as object) }).toMatchObject({
      code: 75,
      run: 'otter-2m9q',
      status: 'suspended',
      error,
    })
    const many = await refuse(['--jsonl'])
    expect(many.code).toBe(75)
    expect(JSON.parse(many.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ v: 1, error })
  })
})

describe('a run in memory', () => {
  test('ends with its process, and no command for it is printed', async () => {
    const folder = workFolder()
    for (const more of [[], ['--answers', 'auto']]) {
      const { err } = await reflex([...RUN, ...more, '--store', 'memory:'], { folder })
      expect(err).not.toMatch(/reflex (answer|inbox|trace|resume)/)
      expect(err.includes('the run ends with this process')).toBe(more.length === 0)
    }
    const run = start(RUN, { folder, columns: 80, environment: { REFLEX_STORE: 'memory:' } })
    await run.shows('› Approve')
    run.press(CTRL_C)
    const { screen } = await run.ended
    expect(screen).toContain('the run ends with this process')
    expect(screen).not.toContain('reflex resume')
  })
})

describe('a run that is resumed', () => {
  test('names the silent or ended process from which it was taken over', async () => {
    for (const [alive, word] of [
      [true, 'silent'],
      [false, 'gone'],
    ] as const) {
      const folder = workFolder()
      const run = start(RUN, { folder, columns: 80, host: virtualHost() })
      await run.shows('› Approve')
      const host = virtualHost()
      await host.advance(3_600_000)
      const { err } = await reflex(['resume', 'otter', '--answers', 'none'], { folder, host, alive })
      expect(err).toContain(`taken over from process ${process.pid}, which is ${word}`)
      run.interrupt('SIGTERM')
      await run.ended
    }
  })

  test.each([
    ['postgres://ana:p%40ss@db.example/app?schema=mine', "'postgres://ana@db.example/app?schema=mine'"],
    ['postgres://db.example/app?password=secret', 'postgres://db.example/app'],
    ['mine.db', 'mine.db'],
  ])('prints next commands without the password of a store: %s', (store, shown) => {
    const sink = { write: () => undefined, terminal: false, columns: undefined }
    const surroundings = { environment: {}, cwd: '/' }
    const console = new Console({ surroundings, out: sink, err: sink, command: 'reflex' } as unknown as World, { store })
    expect(console.command('resume', 'otter')).toBe(`reflex resume otter --store ${shown}`)
  })

  test.each([true, false, undefined])('warns of a lowered trust: %s', (lowered) => {
    let err = ''
    const sink = { write: (text: string) => void (err += text), terminal: false, columns: undefined }
    const host = virtualHost()
    const surroundings = { host, cwd: '/', environment: {}, actor: 'ana', worker: { id: '', host: '', pid: 0 } }
    const console = new Console({ surroundings, out: sink, err: sink, command: 'reflex' } as unknown as World, {})
    const reflexDouble = { isNew: false, models: { name: () => undefined }, limits: () => undefined }
    const handle = { id: 'otter', run: { state: { pins: [] }, settings: { simulated: false, trust: 'probationary', lowered } } }
    runHeader({ console, reflex: reflexDouble } as unknown as Session, handle as unknown as RunHandle, ['3 records'])
    expect(err.includes('warns     trust is probationary here, lower than in the journal')).toBe(lowered === true)
    expect(err.trimEnd().split('\n')).toHaveLength(lowered === true ? 2 : 1)
  })
})

describe('the inbox', () => {
  test('answers questions in place', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const run = start(['inbox'], { folder, columns: 80 })
    await run.shows('enter to answer here')
    run.press('enter')
    await run.shows('› Approve')
    run.press('enter')
    const { code, screen } = await run.ended
    expect(code).toBe(0)
    expect(screen).toContain('otter-2m9q/q1  YES, by ana, recorded @12')
    expect(screen).toContain('completed')
  })

  test('is empty without open questions', async () => {
    expect(await reflex(['inbox'], { folder: workFolder(), columns: 80 })).toMatchObject({ code: 0, screen: 'no open questions' })
  })
})

describe('a run that an error in its program has stopped', () => {
  test('is not sent to a resume that would fail again, neither at its end nor by show', async () => {
    const folder = asking({ template: { text: '{{fils.length}}' } })
    const { code, screen } = await reflex(['run', 'ask.workflow.json'], { folder, columns: 80 })
    expect(code).toBe(75)
    expect(screen).toContain('the run keeps its program: correct the file and start another run')
    expect(screen).not.toContain('try again')
    const shown = (await reflex(['show', 'last'], { folder, columns: 80 })).screen
    expect(shown).toContain('correct the file and start another run')
    expect(shown).not.toContain('reflex answer')
  })

  test('is resumed with a policy if it lacks a permission', async () => {
    const folder = asking({ tool: 'http', args: { url: 'https://example.com/' } })
    const { code, screen } = await reflex(['run', 'ask.workflow.json'], { folder, columns: 80 })
    expect([code, screen.replaceAll(/\s+/g, ' ')]).toEqual([
      75,
      expect.stringMatching(/try again reflex resume \S+ --policy FILE/) as string,
    ])
  })
})
