import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { PostgresServer } from './packages/reflex/test/store/postgres-server.ts'
const server = await PostgresServer.start()
const address = server.address({ schema: 'reflex' })
const home = mkdtempSync('/tmp/e2e-')
const env = { ...process.env, REFLEX_STORE: address, XDG_STATE_HOME: home }
const reflex = (args: string[], show = true) => new Promise<string>((resolve) => { let out = ''; const c = spawn(process.execPath, ['packages/reflex/bin/reflex.js', ...args], { env }); c.stdout.on('data', (d) => (out += d)); c.stderr.on('data', (d) => (out += d)); c.on('close', (code) => { if (show) console.log(`$ reflex ${args.join(' ')}  [${code}]\n${out}`); resolve(out) }) })
const t = Date.now()
const workers = [0, 1].map((i) => { const c = spawn(process.execPath, ['packages/reflex/bin/reflex.js', 'worker', '--cluster', '--has', `w${i}`], { env, stdio: ['ignore', 'pipe', 'pipe'] }); c.stdout.on('data', (d) => process.stdout.write(`w${i}: ${d}`)); c.stderr.on('data', (d) => process.stdout.write(`w${i}! ${d}`)); return c })
await new Promise((r) => setTimeout(r, 6000))
await reflex(['queue', 'list'])
await reflex(['run', 'examples/01-release-review', '--input', 'repo=.', '--simulate'])
await reflex(['run', 'examples/02-refund', '--input', 'order=O-1001', '--simulate', '--cluster', '--tenant', 'acme'])
await reflex(['runs'])
await reflex(['doctor'])
console.log(await server.sql('select id, state, needs, number, tries from reflex_cluster.turn'))
for (const w of workers) w.kill('SIGTERM')
await new Promise((r) => setTimeout(r, 8000))
console.log(workers.map((w) => w.exitCode))
await server.stop()
