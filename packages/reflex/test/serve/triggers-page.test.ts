import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readTriggers } from '../../src/serve/index.ts'
import { signedHeaders } from '../../src/serve/triggers/signature.ts'
import { served } from './served.ts'
import { SECRET, triggerFolder } from './trigger-folder.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../docs/triggers.md'), 'utf8')

/** The fenced blocks of one language. */
function blocks(language: string): readonly string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body = '']) => body)
}

/** The requests of the commands of a page: method, path, body. */
function requests(): readonly (readonly [string, string, unknown])[] {
  const commands = blocks('sh').flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
  return commands.flatMap((command) => {
    const [, path] = /"\$URL([^"]+)"/.exec(command) ?? []
    if (path === undefined) return []
    const [, body] = /-d '([^']+)'/.exec(command) ?? []
    const [, method = body === undefined ? 'GET' : 'POST'] = /-X (\w+)/.exec(command) ?? []
    return [[method, path, body === undefined ? undefined : (JSON.parse(body) as unknown)] as const]
  })
}

test('the file and the commands of docs/triggers.md work as they are printed', async () => {
  const { folder, file } = triggerFolder(blocks('json')[0])
  const { send } = await served({ triggers: readTriggers(file, { ORDERS_SECRET: SECRET, DESK_SECRET: SECRET }) }, { workdir: folder })
  const made = requests()
  expect(made).toHaveLength(5)
  for (const [method, path, body] of made) expect((await send(method, path, body)).status, `${method} ${path}`).toBeLessThan(300)
  const body = '{"type": "order.created", "data": {"id": "A-1"}}'
  const signed = { authorization: '', ...signedHeaders(SECRET, 'msg_1', Date.now(), body) }
  expect(await send('POST', '/v1/hooks/orders', body, signed)).toMatchObject({ status: 202, json: { did: 'started' } })
  expect(await send('GET', '/v1/hooks')).toMatchObject({
    json: { hooks: [{ name: 'orders' }, { name: 'payments' }], subscriptions: [{ name: 'desk', url: 'https://desk.example.org/reflex' }] },
  })
})
