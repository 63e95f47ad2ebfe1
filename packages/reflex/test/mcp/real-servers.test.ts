import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/kernel/index.ts'
import { newFolder } from '../app/folders.ts'
import { calls, EVERYTHING, FILESYSTEM, nodeServer, reflexWith } from './outside.ts'

const LONG = { timeout: 120_000 }

/** The value that the tool returned, or the fault of the node. */
async function outcome(reflex: Awaited<ReturnType<typeof reflexWith>>, tool: string, args: JsonObject = {}): Promise<unknown> {
  const run = await reflex.run(calls(tool, args))
  return run.get('got') ?? run.questions[0]?.fault ?? run.failure
}

describe('the server "everything" over standard input and output', () => {
  it('has tools for programs, with checked arguments, results and parts', LONG, async () => {
    const folder = newFolder()
    const reflex = await reflexWith('all', nodeServer(EVERYTHING, 'stdio'), { folder })
    expect(reflex.tools.names()).toContain('mcp.all.get-structured-content')
    expect(await outcome(reflex, 'mcp.all.get-structured-content', { location: 'Chicago' })).toMatchObject({
      data: { conditions: 'Light rain / drizzle' },
    })
    expect(await outcome(reflex, 'mcp.all.get-structured-content', { location: 'Atlantis' })).toMatchObject({ code: 'R4101' })
    expect(await outcome(reflex, 'mcp.all.echo', { message: 'hello' })).toEqual({ text: 'Echo: hello' })
    const image = (await outcome(reflex, 'mcp.all.get-tiny-image')) as { parts: { sha256: string; path: string; mimeType: string }[] }
    const [part] = image.parts
    expect(part?.mimeType).toBe('image/png')
    expect(
      createHash('sha256')
        .update(readFileSync(part?.path ?? ''))
        .digest('hex'),
    ).toBe(part?.sha256)
    expect(await outcome(reflex, 'mcp.all.get-resource-links', { count: 2 })).toMatchObject({
      parts: [{ type: 'resource_link' }, { type: 'resource_link' }],
    })
    expect(await outcome(reflex, 'mcp.all.get-resource-reference', { resourceType: 'Blob', resourceId: 1 })).toMatchObject({
      parts: [{ type: 'resource', bytes: expect.any(Number) as number }],
    })
  })

  it('asks a person, and the call continues with the answer', LONG, async () => {
    const reflex = await reflexWith('all', nodeServer(EVERYTHING, 'stdio'))
    const run = await reflex.run(calls('mcp.all.trigger-elicitation-request'))
    expect(run.status).toBe('suspended')
    const [open] = run.questions
    expect(open).toMatchObject({
      name: 'mcp.all',
      question: { text: 'The server all asks: Please provide inputs for the following fields:' },
    })
    await expect(reflex.answer(`${run.id}/q1`, { check: 3 })).rejects.toMatchObject({ code: 'R4201' })
    await reflex.answer(`${run.id}/q1`, { name: 'Ana', check: true })
    await run.idle()
    expect(run.get('got')).toMatchObject({ text: expect.stringContaining('Name: Ana') as string })
  })

  it('is simulated without being started', LONG, async () => {
    const reflex = await reflexWith('all', nodeServer(EVERYTHING, 'stdio'), { entry: { package: `sha256-${'0'.repeat(64)}` } })
    const run = await reflex.run(calls('mcp.all.get-structured-content', { location: 'Chicago' }), { simulate: true })
    expect(run.get('got')).toMatchObject({ text: '[Simulated] get-structured-content', data: { temperature: 0, conditions: 'simulated' } })
    expect(await outcome(reflex, 'mcp.all.echo', { message: 'hello' })).toMatchObject({ code: 'R4502' })
  })
})

describe('the server "filesystem"', () => {
  it('is performed again only where its annotations are believed', LONG, async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'notes.txt'), 'twelve apples')
    const reflex = await reflexWith('files', nodeServer(FILESYSTEM, folder), { folder, entry: { trusted: true } })
    const tools = ['read_text_file', 'write_file', 'move_file'].map((name) => reflex.tools.get(`mcp.files.${name}`))
    expect(tools.map(({ repeat, leaves, outside }) => [repeat, leaves, outside])).toEqual([
      ['free', true, true],
      ['keyed', true, true],
      ['ask', true, true],
    ])
    expect(await outcome(reflex, 'mcp.files.read_text_file', { path: join(folder, 'notes.txt') })).toMatchObject({
      data: { content: 'twelve apples' },
    })
    expect(await outcome(reflex, 'mcp.files.read_text_file', { path: '/etc/passwd' })).toMatchObject({
      code: 'R4508',
      message: expect.stringContaining('Access denied') as string,
    })
  })

  it.skipIf(!existsSync('/usr/bin/bwrap'))(
    'is confined for a run that needs a sandbox: it reads the work folder, and writes nothing there',
    LONG,
    async () => {
      const folder = newFolder()
      writeFileSync(join(folder, 'notes.txt'), 'twelve apples')
      const allow = ['arbor://tool/mcp.files.read_text_file', 'arbor://tool/mcp.files.write_file']
      const reflex = await reflexWith('files', nodeServer(FILESYSTEM, folder), {
        folder,
        options: { trust: 'probationary', policy: [{ allow, deny: [] }] },
      })
      expect(await outcome(reflex, 'mcp.files.read_text_file', { path: join(folder, 'notes.txt') })).toMatchObject({
        data: { content: 'twelve apples' },
      })
      expect(await outcome(reflex, 'mcp.files.write_file', { path: join(folder, 'new.txt'), content: 'x' })).toMatchObject({
        code: 'R4508',
      })
      expect(existsSync(join(folder, 'new.txt'))).toBe(false)
      expect(await outcome(reflex, 'mcp.files.move_file', { source: 'a', destination: 'b' })).toMatchObject({ code: 'R3001' })
    },
  )
})

/** Starts the server over HTTP at a free port, and returns its address. */
async function overHttp(): Promise<string> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number }
      probe.close(() => resolve(free))
    })
  })
  const child: ChildProcess = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server has ended')
    const isUp = await fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    )
    if (isUp) return `http://127.0.0.1:${port}/mcp`
    await pause(50)
  }
}

it('reaches the server "everything" over HTTP, at a private address only if the policy says so', LONG, async () => {
  const url = await overHttp()
  const reflex = await reflexWith('all', { url })
  expect(reflex.servers.pinned('all')?.private).toBe(true)
  expect(await outcome(reflex, 'mcp.all.get-sum', { a: 2, b: 3 })).toEqual({ text: 'The sum of 2 and 3 is 5.' })
  const run = await reflex.run(calls('mcp.all.trigger-elicitation-request'))
  expect(run.questions).toMatchObject([{ name: 'mcp.all' }])
  await reflex.answer(`${run.id}/q1`, 'decline')
  await run.idle()
  expect(run.get('got')).toMatchObject({ text: expect.stringContaining('declined') as string })
  const closed = await reflexWith('all', { url }, { entry: { private: false } })
  expect(await outcome(closed, 'mcp.all.get-sum', { a: 2, b: 3 })).toMatchObject({ code: 'R4512' })
})
