import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { callIn, folder, including, refusal, tools, use, write } from './workshop.ts'

const READERS = ['file.read', 'json.read'] as const

describe('file.read', () => {
  it('returns the text, its size and its lines', async () => {
    const work = folder()
    write(join(work, 'a/ü.txt'), 'één\ntwee\n')
    expect(await use('file.read', { path: 'a/ü.txt' }, callIn(work))).toEqual({ path: 'a/ü.txt', text: 'één\ntwee\n', bytes: 11, lines: 2 })
    expect(await use('file.read', { path: 'a/ü.txt', as: 'base64' }, callIn(work))).toEqual({
      path: 'a/ü.txt',
      data: Buffer.from('één\ntwee\n').toString('base64'),
      bytes: 11,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    })
    expect(await use('file.read', { path: join(work, 'a/../a/ü.txt') }, callIn(work))).toMatchObject({ path: 'a/ü.txt' })
  })

  it('refuses files that are too large or not UTF-8, and reports the position', async () => {
    const work = folder()
    write(join(work, 'big'), 'x'.repeat(11))
    write(join(work, 'latin'), Uint8Array.of(0x61, 0xc3, 0xa9, 0xe9, 0x62))
    expect(await use('file.read', { path: 'big', limit: 11 }, callIn(work))).toMatchObject({ bytes: 11 })
    expect(await refusal(() => use('file.read', { path: 'big', limit: 10 }, callIn(work)))).toMatchObject({ code: 'R4108', file: 'big' })
    expect(await refusal(() => use('file.read', { path: 'latin' }, callIn(work)))).toMatchObject({
      code: 'R4109',
      message: 'latin is not UTF-8 at byte 3',
    })
  })

  it('refuses missing files, folders, and a pipe without a writer', async () => {
    const work = folder()
    mkdirSync(join(work, 'dir'))
    execFileSync('mkfifo', [join(work, 'pipe')])
    write(join(work, 'file'), '')
    const refused = (path: string) => refusal(() => use('file.read', { path }, callIn(work)))
    expect(await refused('nope')).toMatchObject({ code: 'R4106', message: 'there is no file nope' })
    expect(await refused('file/inside')).toMatchObject({ code: 'R4106' })
    expect(await refused('dir')).toMatchObject({ code: 'R4107' })
    expect(await refused('pipe')).toMatchObject({ code: 'R4107' })
    expect(await refused('')).toMatchObject({ code: 'R4101' })
    expect(await refused('a\0b')).toMatchObject({ code: 'R4101' })
    expect(await refused('\ud800')).toMatchObject({ code: 'R4101' })
  })

  it('reports refusals of the system', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may read everything')
    const work = folder()
    chmodSync(write(join(work, 'closed'), 'x'), 0o000)
    expect(await refusal(() => use('file.read', { path: 'closed' }, callIn(work)))).toMatchObject({ code: 'R4112' })
  })
})

describe('json.read', () => {
  it('returns the whole value or the value at a pointer', async () => {
    const work = folder()
    write(join(work, 'p.json'), '\ufeff{"a/b": [{"~": 1}], "__proto__": {"x": 2}, "n": null}')
    const read = (pointer?: string, missing = false) =>
      use('json.read', { path: 'p.json', missing, ...(pointer === undefined ? {} : { pointer }) }, callIn(work))
    expect(await read('/a~1b/0/~0')).toBe(1)
    expect(await read('/__proto__/x')).toBe(2)
    expect(await read('/n')).toBeNull()
    expect(Object.keys((await read()) as object)).toEqual(['a/b', '__proto__', 'n'])
    for (const pointer of ['/nope', '/a~1b/00', '/a~1b/length', '/constructor'])
      expect(await refusal(() => read(pointer))).toMatchObject({ code: 'R4111' })
    // A retry cannot fix this one: the program is written so.
    expect(await refusal(() => read('a'))).toMatchObject({ code: 'R4101', fix: 'write /a' })
    expect(await read('/nope', true)).toBeNull()
  })

  it('reports the position at which a text is not JSON', async () => {
    const work = folder()
    write(join(work, 'bad.json'), '{\n  "a": 1,\n}')
    expect(await refusal(() => use('json.read', { path: 'bad.json' }, callIn(work)))).toMatchObject({
      code: 'R4110',
      file: 'bad.json',
      line: 3,
      column: 1,
    })
  })
})

describe('file.list', () => {
  it('lists names in order, with types and sizes, and follows no link', async () => {
    const work = folder()
    write(join(work, 'b/c/deep'), '123')
    write(join(work, 'a'), '1')
    write(join(work, 'node_modules/x'), '')
    symlinkSync('/etc', join(work, 'l'))
    const entries = [
      { path: 'a', type: 'file', bytes: 1 },
      { path: 'b', type: 'folder' },
      { path: 'l', type: 'link' },
    ]
    expect(await use('file.list', {}, callIn(work))).toEqual({ path: '.', entries, truncated: false })
    const deep = [
      { path: 'b/c', type: 'folder' },
      { path: 'b/c/deep', type: 'file', bytes: 3 },
    ]
    expect(await use('file.list', { depth: 9 }, callIn(work))).toMatchObject({
      entries: [...entries.slice(0, 2), ...deep, ...entries.slice(2)],
    })
    expect(await use('file.list', { depth: 9, skip: [] }, callIn(work))).toMatchObject({
      entries: including([{ path: 'node_modules/x', type: 'file', bytes: 0 }]),
    })
    expect(await use('file.list', { depth: 9, limit: 2 }, callIn(work))).toMatchObject({ entries: entries.slice(0, 2), truncated: true })
  })

  it('leaves out the content of a folder that is not granted', async () => {
    const work = folder()
    write(join(work, 'open/a'), '')
    write(join(work, 'shut/b'), '')
    const call = callIn(work, { allows: (capability) => !capability.endsWith('/shut') })
    const listed = await use('file.list', { depth: 5 }, call)
    expect(JSON.stringify(listed)).toContain('open/a')
    expect(JSON.stringify(listed)).not.toContain('shut/b')
  })

  it('refuses a file and a missing folder', async () => {
    const work = folder()
    write(join(work, 'a'), '')
    expect(await refusal(() => use('file.list', { path: 'a' }, callIn(work)))).toMatchObject({ code: 'R4107' })
    expect(await refusal(() => use('file.list', { path: 'no' }, callIn(work)))).toMatchObject({ code: 'R4106' })
  })
})

describe('file.write', () => {
  it('appends to a file, also concurrently; a repetition would append again', async () => {
    const work = folder()
    const add = (text: string): Promise<Json> => use('file.write', { path: 'log/a', text, in: 'work', append: true }, callIn(work))
    expect(await add('one\n')).toEqual({ path: 'log/a', bytes: 4, lines: 1 })
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(`${i}\n`)))
    expect(readFileSync(join(work, 'log/a'), 'utf8').split('\n')).toHaveLength(22)
    expect(await refusal(() => use('file.write', { path: 'log', text: 'x', in: 'work', append: true }, callIn(work)))).toMatchObject({
      code: 'R4107',
    })
    const place = { workdir: work, runFolder: join(work, 'r') }
    expect(tools().prepare('file.write', { path: 'a', text: '', append: true }).traits(place)).toMatchObject({ repeat: 'ask' })
    expect(tools().prepare('file.write', { path: 'a', text: '' }).traits(place)).toMatchObject({ repeat: 'keyed' })
  })

  it('recognizes the home folder by its signs', async () => {
    const home = folder()
    const all = tools({ environment: { HOME: home } })
    const call = callIn(home)
    for (const sign of ['~', '$HOME', '${HOME}']) {
      await use('file.write', { path: `${sign}/reports/a`, text: sign, in: 'work' }, call, all)
      expect(await use('file.read', { path: `${sign}/reports/a` }, call, all)).toMatchObject({ text: sign })
    }
    const needs = all.prepare('file.read', { path: '~/a' }).traits({ workdir: '/w', runFolder: '/w/r' }).needs
    expect(needs).toEqual(['arbor://tool/file.read', `arbor://fs/read${home}/a`])
  })

  it("writes into the run's folder, which it creates, and replaces the whole file", async () => {
    const work = folder()
    const call = callIn(work)
    expect(await use('file.write', { path: 'out/notes.md', text: 'één\n' }, call)).toEqual({
      path: '.reflex/runs/otter/out/notes.md',
      bytes: 6,
      lines: 1,
    })
    await use('file.write', { path: 'out/notes.md', text: 'two' }, call)
    const out = join(call.runFolder, 'out')
    expect(readFileSync(join(out, 'notes.md'), 'utf8')).toBe('two')
    expect(readdirSync(out)).toEqual(['notes.md'])
  })

  it('writes below the work folder on request, and keeps the mode of a file', async () => {
    const work = folder()
    chmodSync(write(join(work, 'run.sh'), 'old'), 0o755)
    expect(await use('file.write', { path: 'run.sh', text: 'new', in: 'work' }, callIn(work))).toMatchObject({ path: 'run.sh' })
    expect(statSync(join(work, 'run.sh')).mode & 0o777).toBe(0o755)
  })

  it('replaces the draft that a crash left, and leaves none when it fails', async () => {
    const work = folder()
    const call = callIn(work)
    await use('file.write', { path: 'a', text: '1' }, call)
    mkdirSync(join(call.runFolder, 'taken'))
    expect(await refusal(() => use('file.write', { path: 'taken', text: '1' }, call))).toMatchObject({ code: 'R4107' })
    const gone = new AbortController()
    gone.abort()
    await refusal(() => use('file.write', { path: 'b', text: '1' }, { ...call, signal: gone.signal }))
    expect(readdirSync(call.runFolder)).toEqual(['a', 'taken'])
  })

  it('does not write paths that are not granted', async () => {
    const work = folder()
    const onlyRun = callIn(work, {
      allows: (capability) =>
        capability.startsWith('arbor://tool/') || capability.startsWith(`arbor://fs/write${work}/.reflex/runs/otter/`),
    })
    for (const args of [{ path: 'x', in: 'work' }, { path: '../../../x' }, { path: join(work, 'x') }, { path: '/tmp/reflex-x' }]) {
      expect(await refusal(() => use('file.write', { ...args, text: '1' }, onlyRun))).toMatchObject({ code: 'R4105' })
    }
    expect(readdirSync(work)).toEqual([])
  })
})

describe('links and races', () => {
  it.each(READERS)('%s follows links to inside and none to outside', async (name) => {
    const outside = write(join(folder(), 'secret'), '"secret"')
    const work = folder()
    write(join(work, 'real/a.json'), '"inside"')
    symlinkSync('real', join(work, 'in'))
    symlinkSync(outside, join(work, 'out'))
    symlinkSync(join(outside, '..'), join(work, 'dir'))
    symlinkSync('loop', join(work, 'loop'))
    expect(JSON.stringify(await use(name, { path: 'in/a.json' }, callIn(work)))).toContain('inside')
    for (const path of ['out', 'dir/secret', '../secret', outside]) {
      const fault = await refusal(() => use(name, { path }, callIn(work)))
      expect(fault, path).toMatchObject({ code: 'R4105' })
    }
    expect(await refusal(() => use(name, { path: 'loop' }, callIn(work)))).toMatchObject({ code: 'R4107' })
  })

  it('reports the targets of links to the policy', () => {
    const work = folder()
    symlinkSync('/etc', join(work, 'etc'))
    const place = { workdir: work, runFolder: join(work, 'r') }
    const needs = (name: string, args: Record<string, string>) => tools().prepare(name, args).traits(place).needs
    expect(needs('file.read', { path: 'etc/hosts' })).toEqual(['arbor://tool/file.read', 'arbor://fs/read/etc/hosts'])
    expect(needs('file.write', { path: 'etc/new', in: 'work', text: '' })).toEqual(['arbor://tool/file.write', 'arbor://fs/write/etc/new'])
    expect(needs('file.read', { path: 'a *?#%.md' })).toEqual(['arbor://tool/file.read', `arbor://fs/read${work}/a%20%2A%3F%23%25.md`])
  })

  it('replaces a link at its path, and not the target of the link', async () => {
    const outside = write(join(folder(), 'victim'), 'untouched')
    const work = folder()
    symlinkSync(outside, join(work, 'notes'))
    await use('file.write', { path: 'notes', text: 'mine', in: 'work' }, callIn(work))
    expect(readFileSync(outside, 'utf8')).toBe('untouched')
    expect(lstatSync(join(work, 'notes')).isFile()).toBe(true)
  })

  it('does not write through a folder that is a link to outside', async () => {
    const outside = folder()
    const work = folder()
    symlinkSync(outside, join(work, 'd'))
    expect(await refusal(() => use('file.write', { path: 'd/x/y', text: '1', in: 'work' }, callIn(work)))).toMatchObject({ code: 'R4105' })
    expect(readdirSync(outside)).toEqual([])
  })

  // The policy is asked at the moment of opening, so the attack runs from there.
  it('reads nothing if a folder becomes a link between the check and the opening', async () => {
    const outside = folder()
    write(join(outside, 'a'), 'secret')
    const work = folder()
    write(join(work, 'd/a'), 'harmless')
    let asked = 0
    const call = callIn(work)
    const allows = (capability: string): boolean => {
      if (capability.startsWith('arbor://fs/') && ++asked === 2) {
        renameSync(join(work, 'd'), join(work, 'was'))
        symlinkSync(outside, join(work, 'd'))
      }
      return call.allows(capability)
    }
    expect(await refusal(() => use('file.read', { path: 'd/a' }, { ...call, allows }))).toMatchObject({ code: 'R4105' })
    expect(lstatSync(join(work, 'd')).isSymbolicLink()).toBe(true)
  })

  it('writes nothing outside if a folder becomes a link meanwhile', async () => {
    const outside = folder()
    const work = folder()
    for (let turn = 1; turn <= 6; turn++) {
      rmSync(join(work, 'd'), { recursive: true, force: true })
      rmSync(join(work, 'was'), { recursive: true, force: true })
      mkdirSync(join(work, 'd/e'), { recursive: true })
      let asked = 0
      const call = callIn(work)
      const allows = (capability: string): boolean => {
        if (capability.startsWith('arbor://fs/') && ++asked === turn) {
          renameSync(join(work, 'd'), join(work, 'was'))
          symlinkSync(outside, join(work, 'd'))
        }
        return call.allows(capability)
      }
      await use('file.write', { path: 'd/e/f/g', text: 'x', in: 'work' }, { ...call, allows }).catch(() => undefined)
      expect(readdirSync(outside), `turn ${turn}`).toEqual([])
    }
  })

  it('appends to nothing outside if a file or its folder becomes a link meanwhile', async () => {
    const outside = folder()
    const victim = write(join(outside, 'victim'), 'untouched')
    const work = folder()
    for (let turn = 1; turn <= 4; turn++) {
      rmSync(join(work, 'd'), { recursive: true, force: true })
      write(join(work, 'd/victim'), 'mine')
      let asked = 0
      const call = callIn(work)
      const allows = (capability: string): boolean => {
        if (capability.startsWith('arbor://fs/') && ++asked === turn) {
          rmSync(join(work, 'd'), { recursive: true })
          if (turn % 2 === 0) symlinkSync(outside, join(work, 'd'))
          else {
            mkdirSync(join(work, 'd'))
            symlinkSync(victim, join(work, 'd/victim'))
          }
        }
        return call.allows(capability)
      }
      await use('file.write', { path: 'd/victim', text: 'x', in: 'work', append: true }, { ...call, allows }).catch(() => undefined)
      expect(readFileSync(victim, 'utf8'), `turn ${turn}`).toBe('untouched')
    }
  })

  it('is safe while another process exchanges the folder all the time', async () => {
    const outside = folder()
    write(join(outside, 'a'), 'secret')
    const work = folder()
    write(join(work, 'd/a'), 'harmless')
    const script = `i=0; while [ $i -lt 150 ]; do mv d was; ln -s ${outside} d; rm d; mv was d; i=$((i+1)); done`
    const swapping = { done: false, failed: undefined as unknown }
    execFile('sh', ['-c', script], { cwd: work }, (error) => Object.assign(swapping, { done: true, failed: error ?? undefined }))
    let reads = 0
    while (!swapping.done) {
      const text = await use('file.read', { path: 'd/a' }, callIn(work)).catch(() => undefined)
      if (text !== undefined) expect(text).toHaveProperty('text', 'harmless')
      await use('file.write', { path: 'd/n/b', text: 'x', in: 'work' }, callIn(work)).catch(() => undefined)
      reads++
    }
    expect(swapping.failed).toBeUndefined()
    expect(reads).toBeGreaterThan(10)
    expect(existsSync(join(outside, 'n'))).toBe(false)
    expect(readdirSync(outside)).toEqual(['a'])
  })
})
