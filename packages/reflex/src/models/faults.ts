import { defineFaults } from '../kernel/index.ts'

const DURING = 'during a run'
const BEFORE = 'before a run'

/**
 * The models' part of the catalogue: the choice of a model (R4001 to R4005), responses of providers (R4006 to R4014),
 * answers (R4015 to R4019), recordings (R4020, R4021), prices (R4022), files and options of a request (R4027 to R4031),
 * tools of a node (R4032, R4033), findings about names (R4034).
 */
export const faults = defineFaults({
  R4001: {
    title: 'No model is configured',
    verdict: 'wait',
    when: DURING,
    means: 'The run needs a model, and none is configured. The run waits; nothing was sent.',
    fix: 'Give --model provider:name, or set REFLEX_MODEL; for your own server, set REFLEX_BASE_URL and give --model name; in an application, set the option `model`. To continue without a model, choose another agent: --agent NODE=person.',
  },
  R4002: {
    title: 'The name of a model or the address of its server is not valid',
    verdict: 'fail',
    when: DURING,
    means:
      'A model is named provider:name, such as openai:gpt-5-mini, or with a name that the application gave it. A name without a provider is enough if a base URL names the server. The base URL is an address without user and password. Nothing was sent.',
    often: 'a misspelt or missing provider; a base URL that is not set',
    fix: 'Write the provider before the name, or set REFLEX_BASE_URL to the address of your own server.',
  },
  R4003: {
    title: 'The package of a provider cannot be used',
    verdict: 'fail',
    when: DURING,
    means:
      'Reflex speaks to each provider through its package @ai-sdk/NAME, which users install when they need it. The package is missing, or it is not what Reflex expects.',
    often: 'the package was not installed beside reflex, an old version',
    fix: 'Run the npm install that the message names, in the folder in which reflex is installed.',
  },
  R4004: {
    title: 'The key of a provider is missing',
    verdict: 'fail',
    when: DURING,
    means: 'The provider requires a key, and the variable for it is not set. Nothing was sent.',
    fix: 'Set the variable that the message names.',
  },
  R4005: {
    title: 'An object is not a model that Reflex can ask',
    verdict: 'fail',
    when: BEFORE,
    means: 'The option takes models of Reflex and language models of the AI SDK whose specificationVersion is v3 or v4.',
    often: 'a provider package of an earlier generation',
    fix: 'Update the provider package.',
  },
  R4006: {
    title: 'The provider refuses the key',
    verdict: 'fail',
    when: DURING,
    means:
      'The provider does not know the key, or the key has no access to this model; or no key was set, and the server requires one. A retry would fail in the same way.',
    often: 'a key of another account or project, a revoked key',
    fix: 'Check the variable that contains the key, and the models that the key can use.',
  },
  R4007: {
    title: 'The provider refuses the request',
    verdict: 'fail',
    when: DURING,
    means:
      'The provider understood the request and refused it; its text is in the message. Or Reflex refused the response: a redirect to another address, to which neither key nor prompt is sent, or more than 32 MB.',
    often: 'a misspelt model, a setting that the model does not have, a schema that the provider does not accept',
    fix: 'Change what the message names, or continue with another model: reflex resume RUN --model NAME.',
  },
  R4008: {
    title: 'The request is too long for the model',
    verdict: 'fail',
    when: DURING,
    rules: ['tree context_length'],
    means: 'Messages, tools and answer together have more tokens than the context of the model.',
    fix: 'Show less, or name a model with a longer context.',
  },
  R4009: {
    title: 'The provider limits the rate of requests',
    verdict: 'retry',
    when: DURING,
    rules: ['tree rate_limit'],
    means:
      'There were too many requests in a short time. Reflex waited as long as the provider asked and tried again, within the deadline.',
    often: 'many runs at once, a small quota',
    fix: 'Try again later, name a fallback model, or raise the quota.',
  },
  R4010: {
    title: 'The provider reports a failure of its own',
    verdict: 'retry',
    when: DURING,
    rules: ['tree api_error'],
    means: 'The server reported that it cannot answer now.',
    fix: 'Try again later with reflex resume RUN, or name a fallback model.',
  },
  R4011: {
    title: 'The provider cannot be reached',
    verdict: 'retry',
    when: DURING,
    rules: ['tree network_error'],
    means: 'There was no connection, or it was lost before the answer was complete. The received part of the answer was dropped.',
    often: 'a server that is not running, a wrong base URL, a proxy that cuts long answers',
    fix: 'Check that the server runs at the address that the message names.',
  },
  R4012: {
    title: 'The response of a provider is not an answer',
    verdict: 'retry',
    when: DURING,
    means: 'The response does not follow the protocol of the provider.',
    often: 'a base URL that leads to a web page, a proxy, an answer that is too large',
    fix: 'Check the base URL; it usually ends in /v1.',
  },
  R4013: {
    title: 'A model took too long',
    verdict: 'retry',
    when: DURING,
    rules: ['tree E6001'],
    means: 'The time limit of the call has passed; it includes all tries and waits. The pending request was aborted.',
    often: 'a long answer, a provider under load',
    fix: 'Give the node a longer timeout, a smaller task, or a faster model.',
  },
  R4014: {
    title: 'A filter stopped the answer',
    verdict: 'fail',
    when: DURING,
    means: "The provider's filter, or the model itself, refused to answer this request.",
    fix: 'Change the prompt, or name another model.',
  },
  R4015: {
    title: 'The answer does not fit its schema',
    verdict: 'retry',
    when: DURING,
    means:
      'The request asks for structured output. The model got its first answer back with the problem, and its second answer was wrong too. The failure contains the last answer and the usage.',
    often: 'a schema that the prompt contradicts, a token limit that cuts the answer, a model too small for the task',
    fix: 'Make the schema simpler, or name another model.',
  },
  R4016: {
    title: 'A schema cannot be used',
    verdict: 'fail',
    when: DURING,
    means: 'The JSON Schema of an answer or of a tool is not valid, or uses keywords that Reflex cannot check. Nothing was sent.',
    often: 'if/then/else, a misspelt type',
    fix: 'Write the schema with types, properties, enums and limits.',
  },
  R4017: {
    title: 'A request to a model cannot be read',
    verdict: 'fail',
    when: DURING,
    means: 'The arguments are not a request: a key is unknown, or a message is missing or has another form. Nothing was sent.',
    fix: 'Correct what the message names.',
  },
  R4018: {
    title: 'A model calls tools and never answers',
    verdict: 'fail',
    when: DURING,
    means: 'The model called tools in each of its turns and never answered.',
    often: 'a tool that keeps failing, a task that needs more turns',
    fix: 'Raise the number of turns, or fix the tool that the model calls again and again.',
  },
  R4019: {
    title: 'The answer of a model is empty, or was cut',
    verdict: 'fail',
    when: DURING,
    means:
      'The model returned an empty answer, or reached the token limit before the end. After an empty answer, the model was asked again. The failure contains the partial answer. The tool calls of a cut answer are not made: their arguments may be cut too.',
    often: 'a limit that is too low for the task, a model that spends its tokens on thinking',
    fix: 'Raise maxTokens of the node (max_tokens in a pipeline), or accept the partial answer: allow_partial=true in a pipeline.',
  },
  R4020: {
    title: 'No reply is left for a request',
    verdict: 'fail',
    when: DURING,
    means: 'The replies come from a script or a recording. None of them belongs to this request, or all that belong to it are used up.',
    often: 'a program or prompt that changed since the recording, a misspelt label',
    fix: 'Record again with --record, or write a reply for the label that the message names.',
  },
  R4021: {
    title: 'A recording cannot be read',
    verdict: 'fail',
    when: BEFORE,
    means: 'A recording is a file of lines, each a JSON object: {"label", "reply"} if written by hand, or a line that --record wrote.',
    fix: 'Correct the line named, such as {"label": "refund/decide", "reply": {"object": {"edge": "FULL"}}, "by": "hand"}.',
  },
  R4022: {
    title: 'A price file cannot be read',
    verdict: 'fail',
    when: BEFORE,
    means: 'REFLEX_PRICES names a file with your own prices: their date, and USD per million tokens for each model.',
    fix: 'Write {"date": "2026-02-01", "prices": {"openai:gpt-5-mini": {"input": 0.25, "cached": 0.025, "output": 2}}}.',
  },
  R4027: {
    title: 'A file cannot be shown to a model',
    verdict: 'fail',
    when: DURING,
    means:
      'A message to a model can have images, PDFs, sounds and texts. The content of the file is empty or of another format, or its media type is not the one that is stated. Nothing was sent.',
    often: 'a file with the wrong extension, a path instead of content, an archive or an office document',
    fix: 'Convert the file to PNG, JPEG, GIF, WebP, PDF, a sound or a text, or correct the stated media type.',
  },
  R4028: {
    title: 'The files of a message are too large',
    verdict: 'fail',
    when: DURING,
    means:
      'One file of a message may have 16 MB, all files of a request 22 MB, and a node attaches at most 20 files: providers take bodies of about 32 MB. Nothing was sent.',
    fix: 'Attach a smaller file: a smaller picture, or fewer pages.',
  },
  R4029: {
    title: 'A file is not the one that was stored',
    verdict: 'fail',
    when: DURING,
    means:
      'A record keeps the hash of each file that a model gets. The stored content has another hash, is missing, or lost a part: the values of secret variables are removed from everything that is recorded, including files. Nothing was sent.',
    fix: 'Attach the file again.',
  },
  R4030: {
    title: 'A model does not accept this kind of file',
    verdict: 'fail',
    when: DURING,
    means: 'The model, or the package of its provider, accepts no files of this media type. Nothing was sent.',
    often: 'an image for a model that reads only text, a PDF for a server that accepts only images',
    fix: 'Name a model that accepts the file, or convert the file.',
  },
  R4031: {
    title: 'Provider options contain a key',
    verdict: 'fail',
    when: DURING,
    means:
      'Provider options are part of a request, and a record keeps every request. Keys and passwords do not belong there. Nothing was sent.',
    fix: 'Remove the key from the options; Reflex gives each provider the key from its variable in the environment.',
  },
  R4032: {
    title: 'A tool cannot be offered to a model',
    verdict: 'wait',
    when: DURING,
    means:
      'The node offers its model a tool that only an author can call: the author of the program must write one of its required arguments.',
    often: 'the tool command or shell',
    fix: 'Offer a tool whose arguments a model may choose, such as a command that the operator named.',
  },
  R4033: {
    title: 'An engine cannot perform the effects that a node needs before its decision',
    verdict: 'wait',
    when: DURING,
    means:
      'The node offers its model tools or attaches files. These are effects of a run, with permissions and records. An engine that an application drives itself only asks for decisions.',
    fix: 'Run the workflow with new Reflex(), or remove `tools` and `attach` from the node.',
  },
  R4034: {
    title: 'A model is unknown, and its name looks misspelt',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    means:
      'Reflex has a list of models with their prices, and a name in the list differs from this one by a few letters. The list is not complete: only the provider knows its models.',
    fix: 'Correct the name; ignore this for a model that is newer than the list.',
  },
})
