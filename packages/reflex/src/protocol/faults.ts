import { defineFaults } from '../kernel/index.ts'

/** The faults of requests over HTTP. */
export const serveFaults = defineFaults({
  R6001: {
    title: 'A request has no valid token',
    verdict: 'fail',
    when: 'at a request',
    means:
      'Every request except those for health carries a token: Authorization: Bearer TOKEN. This one has none, or one that the server does not know.',
    fix: 'Send the token that reflex serve printed, or one of its --tokens file.',
  },
  R6002: {
    title: 'A token does not allow a request',
    verdict: 'fail',
    when: 'at a request',
    means: 'A token has scopes: read, answer, start, admin. The request needs a scope that this token does not have.',
    fix: 'Use another token, or add the scope to the token in the --tokens file.',
  },
  R6003: {
    title: 'A request comes from another site',
    verdict: 'fail',
    when: 'at a request',
    means:
      'The header Host names another server, or the header Origin names a page of another server. A page in a browser could otherwise use this server in the name of its user.',
    fix: 'Open the server by the address that it printed, or allow another name with --host-name.',
  },
  R6004: {
    title: 'A request is too large',
    verdict: 'fail',
    when: 'at a request',
    means: 'A body has at most as many bytes as --max-body allows.',
    fix: 'Send less, or raise --max-body.',
  },
  R6005: {
    title: 'A body cannot be read',
    verdict: 'fail',
    when: 'at a request',
    means: 'A body is in UTF-8, and JSON with the header Content-Type: application/json, unless the route takes another type.',
    fix: 'Send JSON.',
  },
  R6006: {
    title: 'A request does not match the schema of its route',
    verdict: 'fail',
    when: 'at a request',
    means: 'A field of the path, the query or the body is missing, unknown, or of the wrong type.',
    fix: 'Compare the request with GET /v1/openapi.json.',
  },
  R6007: {
    title: 'The server has no such route',
    verdict: 'fail',
    when: 'at a request',
    means: 'No route has this path, or the route has another method.',
    fix: 'See GET /v1/openapi.json.',
  },
  R6008: {
    title: 'A client sends too many requests',
    verdict: 'retry',
    when: 'at a request',
    means: 'A token may make as many requests a minute as --rate allows. The header Retry-After states when the next one is accepted.',
    fix: 'Send fewer requests, or raise --rate.',
  },
  R6009: {
    title: 'An idempotency key was used for another request',
    verdict: 'fail',
    when: 'at a start',
    means: 'A repeated request with the same Idempotency-Key returns the run that the first one started. This request has another body.',
    fix: 'Use a new key for another request.',
  },
  R6010: {
    title: 'A cursor is not of this list',
    verdict: 'fail',
    when: 'at a request',
    means: 'A cursor is the next of an earlier answer of the same list in the same store.',
    fix: 'Ask without a cursor, and follow next.',
  },
  R6011: {
    title: 'The server has too many open streams',
    verdict: 'retry',
    when: 'at a request',
    means: 'The server has as many open event streams as --streams allows.',
    fix: 'Close streams, or raise --streams.',
  },
  R6012: {
    title: 'The server cannot listen',
    verdict: 'fail',
    when: 'at the start of the server',
    means: 'The address is in use, does not belong to this machine, or needs more rights.',
    fix: 'Choose another --port or --bind.',
  },
  R6013: {
    title: 'A file of tokens is not valid',
    verdict: 'fail',
    when: 'at the start of the server',
    means:
      'A file of tokens lists tokens with a name and scopes: {"tokens": [{"name": "ci", "token": "…", "scopes": ["read", "start"]}]}. Only its owner may read it.',
    fix: 'Correct the file.',
  },
  R6030: {
    title: 'A stream cannot continue from an id',
    verdict: 'fail',
    when: 'at a request',
    means:
      'The id is not one of this stream, or of another store, or the records after it were packed since and can only be read run by run. Nothing is lost: GET /v1/runs/RUN/events still has all records of a run.',
    fix: 'Open the stream without Last-Event-ID: it begins with the present state.',
  },
  R6031: {
    title: 'A run does not wait for a message',
    verdict: 'wait',
    when: 'at a message of a chat',
    means:
      'A message of a chat answers the only open question of its run, or goes to the only topic that the run waits for. The run works, has ended, or waits for several.',
    fix: 'Wait for its answer, name the topic, answer the question itself, or begin another chat.',
  },
  R6032: {
    title: 'A request of a chat cannot be taken',
    verdict: 'fail',
    when: 'at a message of a chat',
    means:
      'A chat has the name of its run. Its first message names a program, and each message is a text of a user. An answer is not made again in the same run.',
    fix: 'Send a new message, with the program in the body of the transport.',
  },
  R6080: {
    title: 'A body is not JSON that the server takes',
    verdict: 'fail',
    when: 'at a request',
    means: 'The text of a body is not JSON, nests deeper than 200 levels, or has the key "__proto__", which no object can keep.',
    fix: 'Send JSON.',
  },
  R6081: {
    title: 'The store has no such value',
    verdict: 'fail',
    when: 'at a request',
    means: 'No large value in the store has this hash. It may belong to a run that was removed.',
    fix: 'Take the hash from a record of the run.',
  },
  R6070: {
    title: 'The server cannot be reached',
    verdict: 'retry',
    when: 'at a request of the client',
    means:
      'The client of reflex-runtime/client got no answer: nothing listens at the address, the name is unknown, or the connection broke off.',
    fix: 'Start the server with reflex serve, or correct the url of the client.',
  },
  R6071: {
    title: 'An answer is not from Reflex',
    verdict: 'fail',
    when: 'at a request of the client',
    means:
      'The client of reflex-runtime/client got an answer that is neither a document nor an error of Reflex. Another server, or a proxy, may answer at the address.',
    fix: 'Check the url of the client, and the proxies before the server.',
  },
  R6072: {
    title: 'The server has too many sessions of MCP',
    verdict: 'retry',
    when: 'when a client of MCP connects',
    means:
      'Clients of the protocols before 2026-07-28 keep a session. The server keeps a thousand, and closes one that was idle for five minutes for a new one.',
    fix: 'Close sessions that are no longer used, or try again later.',
  },
  R6073: {
    title: 'There is no such session of MCP',
    verdict: 'fail',
    when: 'at a request over MCP',
    means: 'The session was closed, or it was opened with another token. Runs that it started continue.',
    fix: 'Connect again.',
  },
  R6020: {
    title: 'The package for MCP is missing',
    verdict: 'fail',
    when: 'at the start of the server',
    means: 'MCP needs the package @modelcontextprotocol/server, which is not installed with Reflex.',
    fix: 'Install it: npm install @modelcontextprotocol/server.',
  },
  R6021: {
    title: 'There is no such tool or resource',
    verdict: 'fail',
    when: 'at a request over MCP',
    means: 'A client named a tool or a resource that the server does not list, or its program is no longer there.',
    fix: 'List the tools or the resources again.',
  },
  R6022: {
    title: 'A run does not belong to this client',
    verdict: 'fail',
    when: 'at a request over MCP',
    means:
      'A client sees and answers only the runs that it started, by the name that it states. Other runs of the store belong to other people.',
    fix: 'Use the command: reflex show RUN, reflex answer RUN.',
  },
  R6023: {
    title: 'Only the operator answers a question',
    verdict: 'fail',
    when: 'at an answer over MCP',
    means:
      'Reflex itself asks for a permission, a budget, a retry or an unknown outcome. A program that acts for somebody must not grant itself more.',
    fix: 'The operator answers: reflex answer RUN.',
  },
  R6024: {
    title: 'Arguments do not match the schema of a tool',
    verdict: 'fail',
    when: 'at a request over MCP',
    means: 'The arguments of a call are checked against the schema that the server lists for the tool.',
    fix: 'Call again with arguments that match the schema.',
  },
  R6050: {
    title: 'A file of triggers is not valid',
    verdict: 'fail',
    when: 'at the start of the server',
    means:
      'A file of triggers declares webhooks that arrive (hooks), webhooks that are sent (subscriptions) and schedules. This one is not JSON, has an unknown or wrong field, a calendar without times, or names a secret that is not there.',
    fix: 'Correct the file at the place that the message shows.',
  },
  R6051: {
    title: 'A delivery has no valid signature',
    verdict: 'fail',
    when: 'at a delivery',
    means:
      'A webhook proves with a signature that its sender knows the secret of the hook. This delivery has none, or one of another secret, another body or another scheme.',
    fix: 'Compare the secret and the scheme of the hook in the file of triggers with those of the sender.',
  },
  R6052: {
    title: 'The time of a delivery is too far from now',
    verdict: 'fail',
    when: 'at a delivery',
    means: 'A signed delivery is accepted within five minutes of its time, so that one that was recorded cannot be sent again later.',
    fix: 'Set the clocks of both machines; the sender signs each attempt with its time.',
  },
  R6053: {
    title: 'There is no such hook',
    verdict: 'fail',
    when: 'at a delivery',
    means: 'The path names a hook that the file of triggers does not declare.',
    fix: 'Declare it in the file that reflex serve --triggers names.',
  },
  R6054: {
    title: 'A payload lacks a value that a hook needs',
    verdict: 'fail',
    when: 'at a delivery',
    means:
      'A hook maps places of the payload to inputs, a message or a key. The payload has nothing at one of these places, or no value that fits.',
    fix: 'Correct the pointer in the file of triggers, or take only payloads that have it, with when.',
  },
  R6055: {
    title: 'A message of a delivery has no run',
    verdict: 'fail',
    when: 'at a delivery',
    means: 'The payload names a run, or the key of a run that an earlier delivery started. There is none.',
    fix: 'Declare the key also in the hook that starts the run.',
  },
  R6056: {
    title: 'A schedule is not valid',
    verdict: 'fail',
    when: 'when a schedule is added',
    means:
      'A schedule has a name, a cron expression with at least one time, a time zone such as Europe/Berlin, and policies for missed times and for runs that have not ended.',
    fix: 'Correct the value that the message names.',
  },
  R6057: {
    title: 'There is no such schedule',
    verdict: 'fail',
    when: 'when a schedule is changed',
    means: 'The store has no schedule of this name.',
    fix: 'List them: reflex schedule list.',
  },
  R6058: {
    title: 'The name of a schedule is taken',
    verdict: 'fail',
    when: 'when a schedule is changed',
    means: 'The store has another schedule of this name, or the file of triggers declares it. What a file declares is changed there.',
    fix: 'Choose another name, or remove the other schedule.',
  },
  R6059: {
    title: 'A webhook was not accepted by its receiver',
    verdict: 'retry',
    when: 'at a delivery to a subscription',
    means:
      'The receiver could not be reached, did not answer in time, or answered with another status than 2xx. The delivery is repeated with the same id, at longer and longer intervals, until its time is over.',
    fix: 'See GET /v1/hooks for the last failure; redirects are not followed, and private addresses need "private": true.',
  },
  R6060: {
    title: 'A schedule cannot start its run',
    verdict: 'retry',
    when: 'at a time of a schedule',
    means: 'The store failed while a schedule was handled. The time is handled again.',
    fix: 'Repair the store.',
  },
  R6061: {
    title: 'The server is not ready',
    verdict: 'retry',
    when: 'at a request',
    means: 'The server is stopping, or its store does not answer.',
    fix: 'Send requests to another server, or try again later.',
  },
  R6062: {
    title: 'The run of a key is being started',
    verdict: 'retry',
    when: 'at a start',
    means: 'Another process has begun to start the run of this key, and its first record is not durable yet, or could not be stored.',
    fix: 'Send the same request again.',
  },
})
