import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { readPolicy } from '../../src/policy/index.ts'
import { newFolder } from '../app/folders.ts'
import { calls, MISCHIEF, nodeServer, policyFor } from './outside.ts'

const LONG = { timeout: 60_000 }
const HASH = `sha256-${'0'.repeat(64)}`

it(
  'starts no server that only a file beside programs names, whose entry differs, or whose policy is in the same folder',
  LONG,
  async () => {
    const folder = newFolder()
    const notes = join(folder, 'notes')
    writeFileSync(notes, '')
    const spec = nodeServer(MISCHIEF, notes)
    const [policy = { allow: [], deny: [] }] = await policyFor(folder, 'bad', spec)
    const mcp = { file: join(folder, 'reflex.config.json'), servers: { bad: spec } }
    const faultWith = async (entries: NonNullable<ConstructorParameters<typeof Reflex>[0]>): Promise<unknown> => {
      const reflex = new Reflex({ store: 'memory:', workdir: folder, trust: 'trusted', mcp, ...entries })
      onTestFinished(() => reflex.close())
      const run = await reflex.run(calls('mcp.bad.fine'), {})
      return run.get('got') ?? run.questions[0]?.fault
    }
    const refused = { code: 'R4500', fix: expect.stringContaining('reflex mcp pin bad') as string }
    writeFileSync(notes, '')
    expect(await faultWith({}).catch((thrown: unknown) => thrown)).toMatchObject(refused)
    expect(
      await faultWith({ policy: [{ ...policy, file: join(folder, 'own.policy.json') }] }).catch((thrown: unknown) => thrown),
    ).toMatchObject(refused)
    const other = { ...policy, mcp: { bad: { command: 'node', args: ['other.js'], package: HASH, tools: HASH } } }
    expect(await faultWith({ policy: [other] }).catch((thrown: unknown) => thrown)).toMatchObject(refused)
    expect(await faultWith({ policy: [{ ...policy, file: join(newFolder(), 'own.policy.json') }] })).toEqual({ text: 'fine' })
  },
)

it('refuses an entry of a policy that pins nothing', () => {
  const read = (entry: object): unknown => readPolicy(JSON.stringify({ mcp: { files: entry } }), 'own.policy.json')
  expect(() => read({ command: 'node', args: ['a.js'], package: HASH })).toThrow('mcp.files.tools is not the hash of a list of tools')
  expect(() => read({ command: 'node', tools: HASH })).toThrow('mcp.files.package is not the hash of a package')
  expect(() => read({ command: 'node', url: 'http://a', package: HASH, tools: HASH })).toThrow('either a command or a url')
  expect(() => read({ url: 'http://a', tools: HASH, trust: true })).toThrow('mcp.files.trust is not one of')
  expect(read({ url: 'http://a', tools: HASH })).toMatchObject({ mcp: { files: { url: 'http://a' } } })
})

it('answers a 401 with the token of the operator, and else quotes what the server asks for', LONG, async () => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    seen.push(authorization)
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="apples", scope="read"' }).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const folder = newFolder()
  await expect(policyFor(folder, 'apples', { url })).rejects.toMatchObject({
    code: 'R4505',
    message: expect.stringContaining('Bearer realm="apples"') as string,
  })
  expect(seen.every((authorization) => authorization === undefined)).toBe(true)
  await expect(policyFor(folder, 'apples', { url, token: '${MCP_TEST_UNSET}' })).rejects.toMatchObject({ code: 'R4513' })
})
