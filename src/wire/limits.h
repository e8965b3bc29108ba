/* limits.h: every maximum and every waiting time of the wire, in one place. Each has a test at N
 * and N+1 in tests/wire. Times can be shortened through struct http_limits, for tests. */
#ifndef OF_WIRE_LIMITS_H
#define OF_WIRE_LIMITS_H

#define WIRE_MAX_HEAD     16384u       /* request line and headers, bytes: DynamoDB's */
#define WIRE_MAX_BODY     (16u << 20)  /* as sent, and again after decompression: DynamoDB's */
#define WIRE_MAX_HEADERS  128u         /* header lines */
/* Chunk sizes, their extensions and what else is no body: so many bytes, and so many for each byte of the body. */
#define WIRE_MAX_FRAMING  65536u
#define WIRE_FRAMING_RATE 16u
#define WIRE_READ_BUFFER  32768u       /* per connection; a whole head and a small body fit */
#define WIRE_MAX_ARENA    (256u << 20) /* memory of one request */
/* Requests that are being received, wait for the disk or whose answer is not read yet hold memory.
 * All of them together: this part of the machine's (or the container's), but not less than that. */
#define WIRE_HELD_PART    4u
#define WIRE_HELD_LEAST   256u /* MB */
#define WIRE_HELD_REST    4u   /* a part of it that bodies do not get while they are being received */
#define WIRE_COMPRESS_MIN 4096u        /* answers over this are compressed when asked: DynamoDB's */
/* A body of more bytes is read, and an answer of more compressed, on another thread: on the loop that
 * would hold up every other connection for more than half a millisecond. */
#define WIRE_LOOP_BYTES   65536u
#define WIRE_MAX_ANSWERS  64u          /* answers that wait for the end of their turn, */
#define WIRE_ANSWER_MEMORY (1u << 20)  /* but not one whose request holds more, */
#define WIRE_ANSWERS_NS   500000u      /* and how long the first of them may */
#define WIRE_MAX_GATHERED 64u          /* writes, and reads that may block, that wait for the end of their turn */
#define WIRE_TLS_READ     65536u       /* received at a time on an encrypted connection; per loop */
#define WIRE_TLS_RECORD   16384u       /* TLS's: plain bytes of a record */
#define WIRE_TLS_PIECE    65536u       /* of an answer, encrypted at a time */
#define WIRE_TLS_DAYS     14           /* a certificate that expires sooner is warned of, */
#define WIRE_TLS_WARN_MS  86400000u    /* again after this time */
#define WIRE_BACKLOG      1024
#define WIRE_ACCEPTS      64u /* connections accepted before others get a turn */
#define WIRE_RESTS        256u /* connections whose memory is given back at a time */
#define WIRE_MAX_THREADS  64u
#define WIRE_CONNECTIONS  10000u /* over all loops; fewer if the process may open fewer files */
#define WIRE_LOOP_FILES   8u     /* files that an event loop itself needs */
#define WIRE_SPARE_FILES  64u    /* files left for the store and the rest */

#define WIRE_IDLE_MS 120000u /* between requests */
#define WIRE_REST_MS 5000u   /* between requests, until the connection's memory is given back */
#define WIRE_HEAD_MS 10000u  /* from a request's first byte to the end of its headers */
#define WIRE_BODY_MS                                                                               \
    20000u /* for the body, plus what WIRE_MIN_RATE grants for the bytes received; and between two reads of it */
#define WIRE_WRITE_MS  20000u /* for the answer, likewise */
#define WIRE_MIN_RATE  16384u /* bytes per second a client must read or write beyond that */
#define WIRE_LINGER_MS 10000u /* reading on after a refusal, so that the client gets to read it */
#define WIRE_EVICT_MS  1000u  /* idle, or sending a request, for at least this long before it must make room for another */
#define WIRE_DRAIN_MS  5000u  /* at stop, for a request that has only partly arrived */

#endif
