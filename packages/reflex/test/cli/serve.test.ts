import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { start, workFolder } from './worlds.ts'

test('prints the address of its page with a token in the fragment, which no request has, and stops at a signal', async () => {
  const serving = start(['serve', '--port', '0'], { folder: workFolder() })
  await serving.shows('#token=')
  serving.interrupt('SIGTERM')
  const { code, out, err } = await serving.ended
  expect(code).toBe(0)
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{22}\n$/)
  expect(err).not.toContain('token')
})

test('prints and accepts no token of its own beside a file of tokens', async () => {
  const folder = workFolder()
  const tokens = { tokens: [{ name: 'ci', token: 'a-token-of-the-file', scopes: ['read'] }] }
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 })
  const serving = start(['serve', '--port', '0', '--tokens', 'tokens.json'], { folder })
  await serving.shows('http://')
  serving.interrupt('SIGTERM')
  const { code, out } = await serving.ended
  expect(code).toBe(0)
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/)
})

test.each(['65536', '1e3', '-1', ''])('the port %j is refused', async (port) => {
  const { code, err } = await start(['serve', `--port=${port}`], { folder: workFolder() }).ended
  expect(code).toBeGreaterThan(0)
  expect(err).toContain('R2031')
})
