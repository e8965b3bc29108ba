"""nginx.py: the configuration of the web server that answers with the very bytes we answer with."""
PIECE = 2000  # a parameter of nginx's configuration is at most 4096 bytes long, and each quote or backslash gets one more

CONFIGURATION = '''# Made by bench/lib/nginx.py: as many workers as Onefold has loops, nothing logged, connections kept.
worker_processes {workers};
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    client_max_body_size 16m;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type application/x-amz-json-1.0;
    server {{
        listen 127.0.0.1:{port} reuseport backlog=4096;
{locations}
    }}
}}
'''


def quoted(text):
    return "'" + text.replace('\\', '\\\\').replace("'", "\\'") + "'"


def location(path, body):
    """A location that answers any method with this body."""
    text = body.decode()
    if '$' in text:
        raise ValueError('nginx would take the $ in the body for a variable')
    pieces = [text[i:i + PIECE] for i in range(0, len(text), PIECE)] or ['']
    names = [f'$part{n}' for n in range(len(pieces))]
    sets = ''.join(f'            set {name} {quoted(piece)};\n' for name, piece in zip(names, pieces))
    return f'        location = /{path} {{\n{sets}            return 200 {"".join(names) if text else quoted("")};\n        }}\n'


def configuration(folder, port, workers, bodies):
    """bodies: path to the bytes of its answer."""
    return CONFIGURATION.format(folder=folder, port=port, workers=workers,
                                locations=''.join(location(path, body) for path, body in sorted(bodies.items())))
